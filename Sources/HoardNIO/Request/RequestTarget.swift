// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardMessages
internal import NIOHTTP1

/// The target that a request line asks for: [RFC 9112 §3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2).
struct RequestTarget: Hashable, Sendable {
    /// The authority of an absolute target, `nil` for the other forms.
    let authority: String?
    /// Begins with a slash, or is `*`.
    let path: String

    /// - Parameter scheme: That of the URLs which are asked for on the connection.
    /// - Throws: ``RequestRejection``: 501 for CONNECT, 400 for a target that no server would understand.
    init(_ text: String, method: HTTPMethod, scheme: String = "http") throws(RequestRejection) {
        guard method != .CONNECT else { throw RequestRejection(.notImplemented, "The server is no tunnel: CONNECT is not supported.") }
        guard text.utf8.allSatisfy({ $0.isAllowedInTarget }) else {
            throw .badRequest("The request target holds a character that must be percent-encoded.")
        }
        if text.utf8.first == UInt8(ascii: "/") {
            self.init(authority: nil, path: text)
        } else if text == "*" {
            guard method == .OPTIONS else { throw .badRequest("The request target * is for OPTIONS only.") }
            self.init(authority: nil, path: text)
        } else {
            try self.init(absolute: text, method: method, scheme: scheme)
        }
    }

    private init(authority: String?, path: String) {
        self.authority = authority
        self.path = path
    }

    /// [RFC 9112 §3.2.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2)
    private init(absolute text: String, method: HTTPMethod, scheme: String) throws(RequestRejection) {
        let beginning = scheme + "://"
        guard text.utf8.count >= beginning.utf8.count, text.prefix(beginning.count).lowercased() == beginning else {
            throw .badRequest("The request target must begin with a slash or with \(beginning).")
        }
        let rest = text.dropFirst(beginning.count)
        let pathStart = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        let authority = rest[..<pathStart]
        guard Authority.isValid(authority) else { throw .badRequest("The request target's host is not a valid one.") }
        let path = String(rest[pathStart...])
        if path.isEmpty {
            // RFC 9112 §3.2.4: an absolute target without path and query asks OPTIONS about the server as a whole.
            self.init(authority: String(authority), path: method == .OPTIONS ? "*" : "/")
        } else {
            self.init(authority: String(authority), path: path.utf8.first == UInt8(ascii: "/") ? path : "/" + path)
        }
    }
}
