// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import NIOHTTP1

extension HTTPHeaders {
    /// The fields that may stand behind the content, or `nil` if there are none.
    ///
    /// Left out are those that a recipient needs before the content, or would obey although they came late:
    /// [RFC 9110 §6.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1).
    package init?(trailers: HTTPFields?) {
        guard let trailers, !trailers.isEmpty else { return nil }
        self.init()
        for field in trailers where !field.name.isForbiddenInTrailers {
            add(name: field.name.rawName, value: field.value)
        }
        guard !isEmpty else { return nil }
    }
}

extension HTTPField.Name {
    fileprivate var isForbiddenInTrailers: Bool {
        switch canonicalName {
        // Framing and the connection.
        case "transfer-encoding", "content-length", "connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade": true
        // Routing.
        case "host", "via", "max-forwards", "forwarded": true
        // Request modifiers and response control data.
        case "expect", "range", "cache-control", "pragma", "expires", "age", "date", "vary", "location", "retry-after", "warning": true
        case "cdn-cache-control", "cache-status", "no-vary-search", "clear-site-data", "strict-transport-security": true
        // Authentication and cookies.
        case "authorization", "www-authenticate", "proxy-authenticate", "proxy-authorization", "set-cookie", "cookie": true
        // Fields that are needed to understand the content.
        case "content-encoding", "content-type", "content-range", "content-disposition", "content-security-policy": true
        default:
            // Conditions of a request.
            canonicalName.hasPrefix("if-")
        }
    }
}

extension Error {
    /// Whether the parser has refused a `Content-Length`. While content in chunks is expected, that can only be one among the trailers.
    package var concernsContentLength: Bool {
        switch self as? HTTPParserError {
        case .invalidContentLength, .unexpectedContentLength: true
        default: false
        }
    }
}
