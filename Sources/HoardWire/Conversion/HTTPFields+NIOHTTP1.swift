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
            guard let field = HTTPField(name: name, line: value) else { return nil }
            append(field)
        }
    }
}

extension HTTPField {
    /// A field as it stands in a message: its value may have whitespace around it that does not belong to it
    /// ([RFC 9112 §5.1](https://www.rfc-editor.org/rfc/rfc9112#section-5.1)).
    ///
    /// - Returns: `nil` if the name or the value is none that HTTP allows.
    /// - Complexity: O(n) in the bytes of both.
    package init?(name: String, line: String) {
        let isPadding = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let value: String
        if line.utf8.first.map(isPadding) ?? false || line.utf8.last.map(isPadding) ?? false {
            let start = line.utf8.firstIndex { !isPadding($0) } ?? line.endIndex
            let end = line.utf8.lastIndex { !isPadding($0) }.map { line.utf8.index(after: $0) } ?? start
            value = String(line[start..<end])
        } else {
            value = line
        }
        guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { return nil }
        self.init(name: name, value: value)
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
