// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import HoardMessages
internal import HoardNIO
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A client's request for a WebSocket, as it goes to the origin.
struct WebSocketRequest: Sendable {
    let request: HTTPRequest
    let body: HTTPBody
    /// The answer that the origin must give to the proxy's own key; `nil` if the client has sent a key, and checks the answer itself.
    let expectedAccept: String?

    /// - Parameter isExtendedConnect: The client speaks HTTP/2, where there are no keys: [RFC 8441 §5](https://www.rfc-editor.org/rfc/rfc8441#section-5).
    init(_ request: HTTPRequest, body: HTTPBody, isExtendedConnect: Bool) {
        var request = request.openingWebSocket()
        // In the form in which routes were compared, as the cache forwards all else.
        if let target = TargetURI(request) { request.path = target.pathAndQuery }
        self.body = body
        if isExtendedConnect {
            var generator = SystemRandomNumberGenerator()
            let key = Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64EncodedString()
            request.headerFields[.secWebSocketKey] = key
            request.headerFields[.secWebSocketVersion] = request.headerFields[.secWebSocketVersion] ?? "13"
            expectedAccept = Self.accept(for: key)
        } else {
            expectedAccept = nil
        }
        self.request = request
    }

    /// The proof that an origin has read a key: [RFC 6455 §4.2.2](https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2).
    static func accept(for key: String) -> String {
        let digest = Insecure.SHA1.hash(data: Data("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
        return Data(digest).base64EncodedString()
    }
}

extension ProxyHandler {
    /// Opens the WebSocket that a client asks for, past the cache. If the origin does not open it, its own response
    /// goes to the client.
    ///
    /// - Throws: ``TransportError`` if no answer came, or if it is no answer to the request.
    func open(
        _ webSocket: WebSocketRequest,
        through transport: any Transport,
        ticker: any Ticker,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> HTTPServerResponse {
        let start = ticker.nanoseconds()
        let response = try await transport.send(webSocket.request, body: webSocket.body, onInterimResponse: onInterimResponse)
        let isOpen = response.head.status == .switchingProtocols
        var head = response.head
        head.headerFields = head.headerFields.removingHopByHopFields()
        head.headerFields.append(HTTPField(name: .via, value: "1.1 \(name)"))
        if let expected = webSocket.expectedAccept {
            // To a client of HTTP/2 any success would mean that the WebSocket is open.
            guard isOpen ? head.headerFields[.secWebSocketAccept] == expected : head.status.kind != .successful else {
                throw TransportError(.invalidResponse, "The origin did not answer the request for a WebSocket as RFC 6455 asks.")
            }
            head.headerFields[.secWebSocketAccept] = nil
        }
        let report = AnswerReport(.bypass, tier: .origin, originDuration: .nanoseconds(ticker.nanoseconds() - start))
        return HTTPServerResponse(head: head, body: isOpen ? webSockets.counting(response.body) : response.body, report: report)
    }
}

/// How many WebSockets a proxy has opened, and how many are open.
final class WebSocketCounts: Sendable {
    private let openCount = Atomic(0)
    private let totalCount = Atomic(0)

    var open: Int { openCount.load(ordering: .relaxed) }
    var total: Int { totalCount.load(ordering: .relaxed) }

    /// Counts a WebSocket as open until the content that the origin sends through it ends, or its reader leaves.
    func counting(_ body: HTTPBody) -> HTTPBody {
        openCount.add(1, ordering: .relaxed)
        totalCount.add(1, ordering: .relaxed)
        return CountedBody.counting(body) { _ in self.openCount.subtract(1, ordering: .relaxed) }
    }
}

extension CachingProxy.Configuration.Upstream {
    /// Whether WebSockets can be opened to the servers: they must speak HTTP/1.1 for that.
    var opensWebSockets: Bool { passesWebSockets && version != .http2 }
}
