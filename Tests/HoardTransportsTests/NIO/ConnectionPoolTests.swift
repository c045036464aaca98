// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import NIOCore
import NIOPosix
import Testing

@testable import HoardTransports

/// Connections that are made, or lent, and then not used.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionPoolTests {
    private static func withPool(
        _ reply: RawOrigin.Reply = .nothing,
        change: (inout NIOTransport.Configuration) -> Void = { _ in },
        body: (ConnectionPool, OriginServer) async throws -> Void
    ) async throws {
        try await withRawOrigin(reply: { _ in reply }) { origin in
            var configuration = NIOTransport.Configuration()
            change(&configuration)
            let pool = ConnectionPool(connector: try ClientConnector(configuration), configuration: configuration)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(pool, OriginServer(isSecure: false, host: "127.0.0.1", port: origin.port)))
            } catch {
                result = .failure(error)
            }
            await pool.shutDown()
            try result.get()
        }
    }

    private static func exchange(_ server: OriginServer) throws -> ClientExchange {
        let request = HTTPRequest.get(port: server.port)
        return ClientExchange(
            OutgoingRequest(request, body: .empty, to: try Destination(of: request)),
            wantsInterimResponses: false,
            asTransportError: { TransportError(.failed, "\($0)", underlyingError: $0) }
        )
    }

    @Test func connectionThatWasNeverUsedIsClosedInTheEnd() async throws {
        try await Self.withPool(change: { $0.idleTimeout = .milliseconds(20) }) { pool, server in
            let connection = try await pool.lease(server, wantsFresh: false)
            pool.connectionReleased(connection)
            await connection.waitUntilClosed()
        }
    }

    @Test func connectionGivenBackByACancelledRequestIsClosedInTheEnd() async throws {
        try await Self.withPool(change: { $0.idleTimeout = .milliseconds(20) }) { pool, server in
            let connection = try await pool.lease(server, wantsFresh: false)
            let exchange = try Self.exchange(server)
            exchange.fail(CancellationError())
            await #expect(throws: CancellationError.self) { try await connection.run(exchange, onInterimResponse: nil) }
            await connection.waitUntilClosed()
        }
    }

    @Test func firstRequestOnAConnectionThatWasKeptMayBeStale() async throws {
        try await Self.withPool(.sendAndClose("")) { pool, server in
            let connection = try await pool.lease(server, wantsFresh: false)
            pool.connectionReleased(connection)
            let kept = try await pool.lease(server, wantsFresh: false)
            #expect(kept === connection)
            await #expect(throws: ExchangeError.stale(wasSent: true)) { try await kept.run(Self.exchange(server), onInterimResponse: nil) }
        }
    }

    @Test func firstRequestOnANewConnectionIsNotStale() async throws {
        try await Self.withPool(.sendAndClose("")) { pool, server in
            let connection = try await pool.lease(server, wantsFresh: false)
            await #expect(throws: ExchangeError.connectionClosed) { try await connection.run(Self.exchange(server), onInterimResponse: nil) }
        }
    }

    @Test func timeThatIsOverAtOnceIsNotMissed() async throws {
        let change: (inout NIOTransport.Configuration) -> Void = {
            $0.connectTimeout = .seconds(1)
            $0.eventLoopGroup = HastyGroup()
        }
        try await Self.withPool(change: change) { pool, server in
            // The origin says nothing, so that no connection becomes ready.
            let server = OriginServer(isSecure: true, host: server.host, port: server.port)
            await #expect(throws: ExchangeError.connectTimedOut) { try await pool.lease(server, wantsFresh: false) }
        }
    }
}

/// A group with one event loop, whose time to wait is over at once for the pool.
private final class HastyGroup: EventLoopGroup {
    private let base = MultiThreadedEventLoopGroup.singleton.next()

    func next() -> any EventLoop { base }
    func any() -> any EventLoop { HastyLoop(base) }
    func makeIterator() -> EventLoopIterator { base.makeIterator() }
    func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) { callback(nil) }
}

private final class HastyLoop: EventLoop {
    private let base: any EventLoop

    init(_ base: any EventLoop) {
        self.base = base
    }

    var inEventLoop: Bool { base.inEventLoop }

    func execute(_ task: @escaping @Sendable () -> Void) { base.execute(task) }

    func scheduleTask<Value>(deadline: NIODeadline, _ task: @escaping @Sendable () throws -> Value) -> Scheduled<Value> {
        base.scheduleTask(deadline: deadline, task)
    }

    func scheduleTask<Value>(in time: TimeAmount, _ task: @escaping @Sendable () throws -> Value) -> Scheduled<Value> {
        _ = try? task()
        return base.scheduleTask(in: time, task)
    }

    func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) { callback(nil) }
}
