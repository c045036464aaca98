// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardWire
internal import NIOHTTP1

/// A response's head after every rule that keeps the bytes behind it from being misread.
///
/// The parser has its own rules. These are applied again here, so that they hold whatever the parser lets through.
struct ResponseFraming: Sendable {
    /// How much content follows: [RFC 9112 §6.3](https://www.rfc-editor.org/rfc/rfc9112#section-6.3).
    enum Content: Hashable, Sendable {
        case none
        case bytes(Int)
        case chunked
        /// All that comes until the connection is closed.
        case untilClose
    }

    let head: HTTPResponse
    let content: Content
    /// The connection may be used for another request: [RFC 9112 §9.3](https://www.rfc-editor.org/rfc/rfc9112#section-9.3).
    let keepsAlive: Bool
    /// The time for which the origin keeps the connection if it is not used, if it says so.
    let announcedIdleTime: Duration?

    /// - Parameters:
    ///   - isResponseToHead: The request's method was HEAD.
    ///   - opensWebSocket: The request asked for a WebSocket. Behind a head that opens it, all bytes are the origin's,
    ///     sent through it.
    /// - Throws: ``ExchangeError/invalidResponse``.
    init(_ head: HTTPResponseHead, isResponseToHead: Bool, opensWebSocket: Bool = false) throws(ExchangeError) {
        guard head.version == .http1_1 || head.version == .http1_0, head.status.code != 101 || opensWebSocket && head.agreesToWebSocket,
            let status = HTTPResponse.Status(head.status), let fields = HTTPFields(head.headers)
        else { throw .invalidResponse }
        self.head = HTTPResponse(status: status, headerFields: fields)

        let contentLength = try Self.contentLength(head.headers["content-length"])
        let isChunked = try Self.isChunked(head.headers["transfer-encoding"], version: head.version)
        guard contentLength == nil || isChunked == nil else { throw .invalidResponse }
        content =
            if status == .switchingProtocols {
                .untilClose
            } else if isResponseToHead || status.code < 200 || status.code == 204 || status.code == 304 {
                .none
            } else if let isChunked {
                isChunked ? .chunked : .untilClose
            } else if let contentLength {
                contentLength == 0 ? .none : .bytes(contentLength)
            } else {
                .untilClose
            }
        announcedIdleTime = Self.idleTime(head.headers["keep-alive"])
        keepsAlive = head.isKeepAlive && content != .untilClose && isChunked != false
    }

    /// [RFC 9110 §8.6](https://www.rfc-editor.org/rfc/rfc9110#section-8.6)
    private static func contentLength(_ values: [String]) throws(ExchangeError) -> Int? {
        guard let first = values.first else { return nil }
        guard values.allSatisfy({ $0 == first }), let length = Int(contentLength: first) else { throw .invalidResponse }
        return length
    }

    /// The `timeout` of the `Keep-Alive` field, which is older than its last description:
    /// [RFC 2068 §19.7.1.1](https://www.rfc-editor.org/rfc/rfc2068#section-19.7.1.1).
    static func idleTime(_ values: [String]) -> Duration? {
        for parameter in values.joined(separator: ",").split(separator: ",") {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            if parts.count == 2, parts[0].lowercased() == "timeout", let seconds = UInt16(parts[1]) { return .seconds(Int(seconds)) }
        }
        return nil
    }

    /// Whether the content comes in chunks; `nil` if there is no transfer coding.
    ///
    /// An unknown coding has no end but the connection's. Known codings that change the content are refused: nothing here decodes them, and no request
    /// asked for them ([RFC 9112 §7.4](https://www.rfc-editor.org/rfc/rfc9112#section-7.4)), so the content would be
    /// passed on under a wrong name.
    private static func isChunked(_ values: [String], version: HTTPVersion) throws(ExchangeError) -> Bool? {
        guard !values.isEmpty else { return nil }
        // RFC 9112 §6.1: with HTTP/1.0, the sender of the field need not know its meaning.
        guard version == .http1_1, values.count == 1 else { throw .invalidResponse }
        let coding = values[0].lowercased()
        if coding == "chunked" { return true }
        let isOneToken = HTTPField.Name(coding) != nil
        guard isOneToken, !["gzip", "x-gzip", "deflate", "compress", "x-compress"].contains(coding) else { throw .invalidResponse }
        return false
    }
}

extension HTTPResponseHead {
    /// Whether a response of status 101 switches to the protocol of WebSockets: [RFC 6455 §4.2.2](https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2).
    fileprivate var agreesToWebSocket: Bool {
        version == .http1_1 && headers[canonicalForm: "upgrade"].map { $0.lowercased() } == ["websocket"]
            && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }
}
