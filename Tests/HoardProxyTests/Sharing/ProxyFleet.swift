// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardRedis
import HoardRedisTestSupport
import HoardTesting
import HoardTestingServer
import Logging
import Synchronization
import Testing

@testable import HoardProxy

/// Proxies before one origin that share a store as different processes do: each with a store, and a connection, of its own.
final class ProxyFleet: Sendable {
    struct Member: Sendable {
        let proxy: CachingProxy
        let probe: ProxyProbe
        let admin: ProxyProbe

        /// Asks for paths, and waits until the responses are stored for the other proxies, too.
        func fill(_ paths: String..., fields: HTTPFields = [:]) async throws {
            for path in paths { _ = try await probe.send(.get, path, fields) }
            await proxy.cache.flush()
        }

        @discardableResult
        func purge(_ body: String) async throws -> ProxyProbe.Reply {
            let fields: HTTPFields = [.authorization: "Bearer \(ProxyFleet.token)", .contentType: "application/json"]
            return try await admin.send(.post, "/api/purge", fields, body: body)
        }
    }

    /// The user of Redis as whom the proxies log in.
    struct Login: Sendable {
        var user: String
        var password: String
    }

    static let token = "a token of a test"
    static let tags = HTTPField.Name("Cache-Tag")

    let origin: FakeOrigin
    let redis: RedisServer
    let members: [Member]

    var first: Member { members[0] }
    var second: Member { members[1] }

    private init(origin: FakeOrigin, redis: RedisServer, members: [Member]) {
        (self.origin, self.redis, self.members) = (origin, redis, members)
    }

    /// Runs proxies before an origin. Its answers name the request and the number of requests so far,
    /// and are fresh for ten minutes.
    ///
    /// - Parameter isPatient: However busy the machine is, no proxy gives up on Redis, on the origin or on another proxy.
    static func run(
        count: Int = 2,
        redis: RedisServer? = nil,
        login: Login? = nil,
        isPatient: Bool = false,
        configure: @Sendable (inout CachingProxy.Configuration) -> Void = { _ in },
        origin handler: FakeOrigin.Handler? = nil,
        _ body: (ProxyFleet) async throws -> Void
    ) async throws {
        let numbers = Counter()
        let origin = try await FakeOrigin.start { request, body in
            if let handler { return await handler(request, body) }
            let number = numbers.increment()
            let path = request.path ?? ""
            var fields: HTTPFields = [.cacheControl: "max-age=600"]
            if let tags, path.contains("tag") { fields[tags] = "news" }
            return .init("\(path) \(number)", fields: fields)
        }
        let server: RedisServer
        if let redis { server = redis } else { server = try await RedisServer.start() }
        var members: [Member] = []
        for _ in 0..<count { members.append(try await member(origin, server, login, isPatient: isPatient, configure)) }
        let fleet = ProxyFleet(origin: origin, redis: server, members: members)
        let result: Result<Void, any Error>
        do { result = .success(try await body(fleet)) } catch { result = .failure(error) }
        for member in members {
            await member.probe.stop()
            await member.admin.stop()
            await member.proxy.shutdown(gracePeriod: .zero)
        }
        server.resume()
        server.stop()
        await origin.stop()
        try result.get()
    }

    private static func member(
        _ origin: FakeOrigin,
        _ server: RedisServer,
        _ login: Login?,
        isPatient: Bool,
        _ configure: (inout CachingProxy.Configuration) -> Void
    ) async throws -> Member {
        var connection = RedisConfiguration(address: server.address)
        connection.commandTimeout = .seconds(isPatient ? 4_000 : 2)
        if isPatient { (connection.connectTimeout, connection.heartbeatTimeout) = (.seconds(4_000), .seconds(4_000)) }
        (connection.user, connection.password) = (login?.user, login?.password)
        let store = try RedisStore(connectingTo: connection)
        var upstream = CachingProxy.Configuration.Upstream(name: "a", servers: [try Origin(origin.url)])
        if isPatient { (upstream.responseTimeout, upstream.idleTimeout) = (.seconds(4_000), .seconds(4_000)) }
        var configuration = CachingProxy.Configuration(upstreams: [upstream])
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        configuration.admin = .init(address: .tcp(host: "127.0.0.1", port: 0), token: token)
        configuration.eventLoopCount = 1
        configure(&configuration)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let ticker: any Ticker = isPatient ? ManualTicker() : MonotonicTicker()
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [store], ticker: ticker, logger: logger)
        return Member(proxy: proxy, probe: ProxyProbe(proxy.urls.first ?? ""), admin: ProxyProbe(proxy.adminAddress ?? ""))
    }

    // MARK: Waiting

    /// Waits until the second proxy has heard of everything that the first has changed. It hears of changes in their order.
    func secondHasHeard() async throws {
        let path = "/sentinel/\(UInt64.random(in: 0...UInt64.max))"
        try await first.fill(path)
        _ = try await second.probe.send(.get, path)
        try await first.purge(#"{"url":"\#(path)"}"#)
        try await waitUntil { try await !second.probe.isCached(path) }
    }
}
