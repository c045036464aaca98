// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import NIOHTTP1

extension HTTPFields {
    /// The same fields in the same order, names spelled as they are.
    ///
    /// - Returns: `nil` if a name or value is none that HTTP allows: [RFC 9110 §5](https://www.rfc-editor.org/rfc/rfc9110#section-5).
    /// - Complexity: O(n) in the bytes of the fields.
    package init?(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { return nil }
            append(HTTPField(name: name, value: value))
        }
    }
}

extension HTTPHeaders {
    /// The same fields in the same order, names spelled as they are.
    ///
    /// Bytes of a value that are not UTF-8 become the replacement character, for NIO's fields are strings.
    package init(_ fields: HTTPFields) {
        self.init()
        reserveCapacity(fields.count)
        for field in fields {
            add(name: field.name.rawName, value: field.value)
        }
    }
}
