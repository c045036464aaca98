// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import HoardTransports
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// A server that runs, and a client that opens connections to it only as it needs them.
///
/// `test(.live)` of Hummingbird cancels the server as soon as a test throws. If it has accepted a connection then that it does not serve yet, NIO ends
/// the process (apple/swift-nio#2637), and the error of the test is lost. This server is only ever shut down, with every connection closed before.
struct LiveSite: Sendable {
    let transport: NIOTransport
    private let origin: String
    private let isSecure: Bool

    /// Serves `app` while `body` runs.
    static func with(_ app: Application<AnyResponder>, isSecure: Bool = false, body: (LiveSite) async throws -> Void) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.connectTimeout = .seconds(60)
        guard isSecure else {
            configuration.version = .http1
            return try await serve(app, configuration, body: body)
        }
        configuration.version = .http2
        try await TestCertificate.first.withFile { path in
            configuration.additionalTrustRootsPath = path
            try await serve(app, configuration, isSecure: true, body: body)
        }
    }

    private static func serve(
        _ app: Application<AnyResponder>,
        _ configuration: NIOTransport.Configuration,
        isSecure: Bool = false,
        body: (LiveSite) async throws -> Void
    ) async throws {
        let transport = try NIOTransport(configuration: configuration)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let running = RunningApplication(base: app) { port.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [running], logger: app.logger))
        // Not a child, so that it is not cancelled with the test.
        let serving = Task {
            defer { port.finish() }
            try await group.run()
        }
        var failure: (any Error)?
        var iterator = ports.makeAsyncIterator()
        if let port = await iterator.next() {
            do {
                try await body(LiveSite(transport: transport, origin: "localhost:\(port)", isSecure: isSecure))
            } catch {
                failure = error
            }
        }
        await transport.shutdown()
        await group.triggerGracefulShutdown()
        try await serving.value
        if let failure { throw failure }
    }

    /// Asks for `path`, and gives the head as soon as it is there.
    func send(
        _ path: String,
        _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get,
        body: ByteBuffer? = nil
    ) async throws -> TransportResponse {
        let request = HTTPRequest(method: method, scheme: isSecure ? "https" : "http", authority: origin, path: path, headerFields: fields)
        return try await transport.send(request, body: body.map { HTTPBody($0) } ?? HTTPBody(ByteBuffer()), onInterimResponse: nil)
    }

    /// Asks for `path`, and reads the answer to its end.
    func get(_ path: String, _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get, body: ByteBuffer? = nil) async throws -> LiveResponse {
        let response = try await send(path, fields, method: method, body: body)
        return LiveResponse(head: response.head, text: String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }
}

/// An answer that came over a socket.
struct LiveResponse: Sendable {
    let head: HTTPResponse
    let text: String

    var cacheStatus: String { head.headerFields[values: cacheStatusName].joined(separator: ", ") }
}

/// An application on a free port, which it reports.
private struct RunningApplication: ApplicationProtocol {
    let base: Application<AnyResponder>
    let onRunning: @Sendable (_ port: Int) -> Void

    var responder: AnyResponder { base.responder }
    var server: HTTPServerBuilder { base.server }
    var configuration: ApplicationConfiguration { base.configuration.with(address: .hostname("localhost", port: 0)) }
    var eventLoopGroup: any EventLoopGroup { base.eventLoopGroup }
    var logger: Logger { base.logger }

    @Sendable func onServerRunning(_ channel: any Channel) async { onRunning(channel.localAddress?.port ?? 0) }
}
