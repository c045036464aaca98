// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardMessages
internal import HoardWire
internal import NIOHPACK
internal import NIOHTTP1

/// The head of an HTTP/2 request after every rule that protects the server and those behind it:
/// [RFC 9113 §8](https://www.rfc-editor.org/rfc/rfc9113#section-8).
///
/// The codec has its own, coarser rules. These are applied again here, so that they hold whatever the codec lets through, and so that a request that is
/// passed on by HTTP/1.1 has the same meaning there as here.
struct StreamRequestHead: Sendable {
    /// The reason why a request is not served.
    enum Refusal: Error, Hashable, Sendable {
        /// It breaks the protocol's rules: its stream is reset ([RFC 9113 §8.1.1](https://www.rfc-editor.org/rfc/rfc9113#section-8.1.1)).
        case malformed
        case rejected(RequestRejection)
    }

    let head: HTTPRequest
    /// How much content follows, if that is said. `0` if none follows.
    let contentLength: Int?
    /// The client waits for 100 before it sends the content.
    let expectsContinue: Bool
    /// The client asks for a WebSocket: [RFC 8441 §5](https://www.rfc-editor.org/rfc/rfc8441#section-5).
    var opensWebSocket: Bool { head.method == .connect }

    /// - Parameter endsStream: No content follows.
    /// - Complexity: O(n) in the bytes of the head.
    init(_ headers: HPACKHeaders, endsStream: Bool, isSecure: Bool, limits: HTTPServer.Configuration) throws(Refusal) {
        var pseudo = PseudoFields()
        var framing = RequestFraming()
        var cookies: [String] = []
        var fields = HTTPFields()
        fields.reserveCapacity(headers.count)
        var byteCount = 0
        var fieldCount = 0
        for (name, value, _) in headers {
            guard name.utf8.first != UInt8(ascii: ":") else {
                guard fieldCount == 0 else { throw .malformed }
                try pseudo.take(name, value)
                // The target has a limit of its own.
                if name != ":path" { byteCount += value.utf8.count }
                guard byteCount <= limits.maximumHeaderByteCount else { throw .rejected(.headTooLarge) }
                continue
            }
            fieldCount += 1
            byteCount += name.utf8.count + value.utf8.count
            guard byteCount <= limits.maximumHeaderByteCount, fieldCount <= limits.maximumHeaderFieldCount else { throw .rejected(.headTooLarge) }
            let field = try Self.field(name, value)
            if field.name == .cookie {
                cookies.append(value)
            } else if try !Self.takes(field, &framing) {
                fields.append(field)
            }
        }
        // The crumbs of a cookie must be one again in front of HTTP/1.1: RFC 9113 §8.2.3.
        if !cookies.isEmpty { fields.append(HTTPField(name: .cookie, value: cookies.joined(separator: "; "))) }
        head = try pseudo.request(host: framing.hosts, fields: fields, isSecure: isSecure, limits: limits)

        let contentLength = framing.contentLength
        if head.method == .connect {
            guard !endsStream, contentLength == nil else { throw .rejected(.badRequest("A request for a WebSocket has no content of its own.")) }
        }
        if endsStream {
            guard contentLength ?? 0 == 0 else { throw .malformed }
            self.contentLength = 0
        } else {
            self.contentLength = contentLength
        }
        do throws(RequestRejection) {
            expectsContinue = try framing.expectsContinue(version: .http1_1) && !endsStream
        } catch {
            throw .rejected(error)
        }
        if let limit = limits.maximumRequestContentByteCount, let contentLength, contentLength > limit { throw .rejected(.contentTooLarge) }
    }

    /// [RFC 9113 §8.2](https://www.rfc-editor.org/rfc/rfc9113#section-8.2)
    private static func field(_ name: String, _ value: String) throws(Refusal) -> HTTPField {
        let isUpper = { (byte: UInt8) in (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
        guard !name.utf8.contains(where: isUpper), let fieldName = HTTPField.Name(name) else { throw .malformed }
        let isSpace = { (byte: UInt8?) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard !isSpace(value.utf8.first), !isSpace(value.utf8.last), HTTPField.isValidValue(value) else { throw .malformed }
        switch name {
        case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade": throw .malformed
        case "te" where value.lowercased() != "trailers": throw .malformed
        default: return HTTPField(name: fieldName, value: value)
        }
    }

    private static func takes(_ field: HTTPField, _ framing: inout RequestFraming) throws(Refusal) -> Bool {
        do throws(RequestRejection) {
            return try framing.takes(field.name, value: field.value)
        } catch {
            // A length that is none, or that contradicts another.
            throw .malformed
        }
    }
}

/// The fields of a request that begin with a colon: [RFC 9113 §8.3.1](https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1).
private struct PseudoFields {
    private var method: String?
    private var scheme: String?
    private var authority: String?
    private var path: String?
    private var `protocol`: String?

    mutating func take(_ name: String, _ value: String) throws(StreamRequestHead.Refusal) {
        switch name {
        case ":method" where method == nil: method = value
        case ":scheme" where scheme == nil: scheme = value
        case ":authority" where authority == nil: authority = value
        case ":path" where path == nil: path = value
        case ":protocol" where `protocol` == nil: `protocol` = value
        default: throw .malformed
        }
    }

    func request(
        host hosts: [String],
        fields: HTTPFields,
        isSecure: Bool,
        limits: HTTPServer.Configuration
    ) throws(StreamRequestHead.Refusal) -> HTTPRequest {
        guard let method, let requestMethod = HTTPRequest.Method(method) else { throw .malformed }
        if requestMethod == .connect {
            guard limits.webSockets != nil, let `protocol` else {
                throw .rejected(RequestRejection(.notImplemented, "The server is no tunnel: CONNECT is not supported."))
            }
            guard `protocol`.lowercased() == "websocket" else {
                throw .rejected(RequestRejection(.notImplemented, "The only protocol that the server opens a tunnel for is websocket."))
            }
        } else if `protocol` != nil {
            throw .malformed
        }
        guard let scheme, let path, !path.isEmpty else { throw .malformed }
        guard scheme.lowercased() == "http" || scheme.lowercased() == "https" else {
            throw .rejected(.badRequest("The server knows no URLs but those of http and https."))
        }
        guard path.utf8.count <= limits.maximumTargetByteCount else {
            throw .rejected(
                RequestRejection(.uriTooLong, "The request target is longer than the \(limits.maximumTargetByteCount) bytes the server accepts.")
            )
        }
        guard path.utf8.first == UInt8(ascii: "/") || path == "*" && requestMethod != .connect else { throw .malformed }
        do throws(RequestRejection) {
            _ = try RequestTarget(path, method: requestMethod == .connect ? .GET : HTTPMethod(requestMethod))
        } catch {
            throw .rejected(error)
        }
        // The connection says more about the scheme than the client does.
        var request = HTTPRequest(
            method: requestMethod,
            scheme: isSecure ? "https" : "http",
            authority: try validatedAuthority(hosts),
            path: path,
            headerFields: fields
        )
        request.extendedConnectProtocol = requestMethod == .connect ? "websocket" : nil
        return request
    }

    private func validatedAuthority(_ hosts: [String]) throws(StreamRequestHead.Refusal) -> String {
        guard hosts.count <= 1 else { throw .malformed }
        if let authority, let host = hosts.first, authority.lowercased() != host.lowercased() { throw .malformed }
        guard let name = authority ?? hosts.first else { throw .rejected(.badRequest("The request names no host.")) }
        guard Authority.isValid(name) else { throw .rejected(.badRequest("The request does not name a valid host.")) }
        return name
    }
}
