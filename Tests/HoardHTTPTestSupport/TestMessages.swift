// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// All of the left fields and all of the right ones.
package func + (left: HTTPFields, right: HTTPFields) -> HTTPFields {
    var fields = left
    for field in right { fields.append(field) }
    return fields
}

extension HTTPRequest {
    package static func test(_ method: Method = .get, _ path: String = "/a", _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "example.com", path: path, headerFields: fields)
    }
}

extension HTTPResponse {
    package static func test(_ code: Int = 200, _ fields: HTTPFields = [:]) -> HTTPResponse {
        HTTPResponse(status: .init(code: code), headerFields: fields)
    }
}
