// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import HTTPTypes

/// 2026-01-01 00:00:00 GMT, a Thursday.
package let newYear2026 = Date(timeIntervalSince1970: 1_767_225_600)

/// Fields written as on the wire, one string a line.
package func fields(_ lines: [String]) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { preconditionFailure("\(line) is no field") }
        fields.append(HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces)))
    }
    return fields
}

package func fields(_ lines: String...) -> HTTPFields { fields(lines) }

package func response(_ status: Int = 200, _ lines: String...) -> HTTPResponse {
    HTTPResponse(status: .init(code: status), headerFields: fields(lines))
}

package func response(_ status: Int = 200, _ lines: [String]) -> HTTPResponse {
    HTTPResponse(status: .init(code: status), headerFields: fields(lines))
}

package func request(method: String = "GET", path: String = "/a", _ lines: String...) -> HTTPRequest {
    guard let method = HTTPRequest.Method(method) else { preconditionFailure("\(method) is no method") }
    return HTTPRequest(method: method, scheme: "http", authority: "example.com", path: path, headerFields: fields(lines))
}

extension HTTPFields {
    /// The fields as on the wire, for comparing whole messages.
    package var lines: [String] { map { "\($0.name.rawName): \($0.value)" } }
}
