// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardTesting
internal import Logging
internal import NIOCore
internal import Synchronization

@testable import HoardProxy

/// A server of an upstream without a network.
final class FakeServer: ReconnectingTransport {
    typealias Handler = @Sendable (HTTPRequest) throws(TransportError) -> TransportResponse

    private let handler: Mutex<Handler>
    private let log = Mutex<(requests: [HTTPRequest], freshCount: Int)>(([], 0))

    init(_ handler: @escaping Handler = { _ in .text("ok") }) {
        self.handler = Mutex(handler)
    }

    convenience init(failing error: TransportError) {
        self.init { _ throws(TransportError) in throw error }
    }

    var requests: [HTTPRequest] { log.withLock { $0.requests } }
    /// How many of them went out on a new connection.
    var freshCount: Int { log.withLock { $0.freshCount } }

    /// Behaves differently from now on.
    func behave(_ handler: @escaping Handler) {
        self.handler.withLock { $0 = handler }
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        log.withLock { $0.requests.append(request) }
        return try handler.withLock { $0 }(request)
    }

    func sendOnNewConnection(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        log.withLock { $0.freshCount += 1 }
        return try await send(request, body: body, onInterimResponse: onInterimResponse)
    }
}

extension TransportResponse {
    static func text(_ text: String, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:]) -> TransportResponse {
        TransportResponse(head: HTTPResponse(status: status, headerFields: fields), body: HTTPBody(text))
    }

    /// The whole body as text.
    func text() async throws -> String {
        String(buffer: try await body.collect(upTo: 1_000_000))
    }
}

extension TransportError {
    static let refused = TransportError(.cannotConnect, "refused", progress: .notProcessed, stage: .connecting)
    static let lost = TransportError(.connectionClosed, "lost", progress: .lostOnKeptConnection)
    static let unanswered = TransportError(.connectionClosed, "unanswered", progress: .unanswered)
    static let late = TransportError(.timedOut, "late", progress: .unanswered, stage: .awaitingResponse)
}

extension OriginGroup {
    /// A group of servers `http://0.test`, `http://1.test` and so on.
    static func of(
        _ servers: [FakeServer],
        checkedBy checks: [any Transport]? = nil,
        ticker: ManualTicker = ManualTicker(),
        change: (inout CachingProxy.Configuration.Upstream) throws -> Void = { _ in }
    ) throws -> OriginGroup {
        var upstream = CachingProxy.Configuration.Upstream(name: "test", servers: try servers.indices.map { try Origin("http://\($0).test") })
        try change(&upstream)
        let links = upstream.servers.enumerated().map { index, origin in
            OriginLink(origin, transport: servers[index], checkTransport: checks?[index] ?? servers[index])
        }
        return OriginGroup(upstream, links: links, ticker: ticker, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}

extension HTTPRequest {
    static func to(_ path: String = "/", _ method: HTTPRequest.Method = .get) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "0.test", path: path)
    }
}
