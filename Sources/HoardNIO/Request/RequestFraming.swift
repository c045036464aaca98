// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardMessages
internal import HoardWire
internal import NIOHTTP1

/// Collects the fields of a request on which framing and routing depend, and judges them together.
struct RequestFraming {
    private(set) var hosts: [String] = []
    private(set) var contentLength: Int?
    private var transferEncodings: [String] = []
    private var expectation: String?
    private var upgrades: [String] = []
    private var connectionOptions: [Substring] = []

    /// Notes the field if it is one of those.
    ///
    /// - Returns: Whether the field is to be left out of the request, since the request says the same elsewhere.
    mutating func takes(_ name: HTTPField.Name, value: String) throws(RequestRejection) -> Bool {
        switch name.canonicalName {
        case "host":
            hosts.append(value)
            return true
        case "content-length":
            guard let length = Int(contentLength: value) else { throw .badRequest("The Content-Length field is not a valid one.") }
            guard contentLength == nil || contentLength == length else { throw .badRequest("The request has two different Content-Length fields.") }
            contentLength = length
        case "transfer-encoding":
            transferEncodings.append(value)
        case "expect" where !value.isEmpty:
            expectation = expectation.map { "\($0), \(value)" } ?? value
        case "upgrade":
            upgrades.append(value)
        case "connection":
            connectionOptions += value.split(separator: ",")
        default:
            break
        }
        return false
    }

    /// [RFC 9112 §6](https://www.rfc-editor.org/rfc/rfc9112#section-6)
    func content(version: HTTPVersion) throws(RequestRejection) -> RequestHead.Content {
        guard !transferEncodings.isEmpty else {
            return contentLength.map { $0 == 0 ? .none : .bytes($0) } ?? .none
        }
        guard contentLength == nil else { throw .badRequest("The request has both Transfer-Encoding and Content-Length.") }
        guard version == .http1_1 else { throw .badRequest("HTTP/1.0 has no Transfer-Encoding.") }
        guard transferEncodings.count == 1, transferEncodings[0].lowercased() == "chunked" else {
            throw RequestRejection(.notImplemented, "The only Transfer-Encoding the server knows is chunked.")
        }
        return .chunked
    }

    /// [RFC 9110 §10.1.1](https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1)
    func expectsContinue(version: HTTPVersion) throws(RequestRejection) -> Bool {
        guard version == .http1_1, let expectation else { return false }
        guard expectation.lowercased() == "100-continue" else {
            throw RequestRejection(.expectationFailed, "The only expectation the server can meet is 100-continue.")
        }
        return true
    }

    /// [RFC 9112 §3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2)
    func validatedHost(version: HTTPVersion) throws(RequestRejection) -> String? {
        guard let host = hosts.first else {
            guard version == .http1_0 else { throw .badRequest("The request has no Host field.") }
            return nil
        }
        guard hosts.count == 1 else { throw .badRequest("The request has more than one Host field.") }
        guard Authority.isValid(host) else { throw .badRequest("The Host field does not hold a valid host.") }
        return host
    }

    /// Whether the client offers to speak another protocol, as the parser sees it.
    var asksForUpgrade: Bool {
        !upgrades.isEmpty && connectionOptions.contains { $0.trimmingSpaces.lowercased() == "upgrade" }
    }

    /// Whether the client offers to speak the WebSocket protocol: [RFC 6455 §4.1](https://www.rfc-editor.org/rfc/rfc6455#section-4.1).
    ///
    /// Not if the parser might not see that: it knows no tabs behind an option.
    var asksForWebSocket: Bool {
        asksForUpgrade && !connectionOptions.contains { $0.utf8.contains(UInt8(ascii: "\t")) }
            && upgrades.contains { $0.split(separator: ",").contains { $0.trimmingSpaces.lowercased() == "websocket" } }
    }
}

extension Substring {
    var trimmingSpaces: Substring {
        var rest = self
        while let first = rest.utf8.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
        while let last = rest.utf8.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }
}
