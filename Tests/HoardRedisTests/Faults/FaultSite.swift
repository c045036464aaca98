// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
@_spi(Client) import HoardRedis
import HoardRedisTestSupport
import HoardTesting

/// A server of its own, and caches over it as if each were in another process.
struct FaultSite {
    let server: RedisServer
    let proxy: FaultProxy

    init(_ options: RedisServer.Options = .init()) async throws {
        server = try await RedisServer.start(options)
        proxy = try await FaultProxy.start(to: server.address)
    }

    func end(_ caches: FaultCache...) async {
        for cache in caches { await cache.close() }
        await proxy.stop()
        server.stop()
    }

    /// A cache over the server, through the proxy if `isDirect` is `false`.
    ///
    /// - Parameter isPatient: Whether the cache gives up nothing that is slow, so that a busy machine is no
    ///   fault: the server has to be gone, or to refuse. Where the server says nothing at all, some time has to
    ///   pass. A busy machine lets it pass at other moments too, so a test must not count on the store then.
    func cache(isDirect: Bool = true, isPatient: Bool = true, _ change: (inout RedisConfiguration) -> Void = { _ in }) throws -> FaultCache {
        var configuration = RedisConfiguration(address: isDirect ? server.address : proxy.address)
        configuration.commandTimeout = .seconds(isPatient ? 1_000 : 2)
        configuration.connectTimeout = .seconds(isPatient ? 1_000 : 2)
        configuration.heartbeatInterval = .milliseconds(100)
        configuration.heartbeatTimeout = isPatient ? .seconds(1_000) : .milliseconds(900)
        configuration.backoff.initial = .milliseconds(5)
        configuration.backoff.maximum = .milliseconds(50)
        change(&configuration)
        return try FaultCache(configuration, deadline: .seconds(isPatient ? 1_000 : 3))
    }
}

/// A cache whose loader returns the value that its test calls current, and how often it was asked.
struct FaultCache: Sendable {
    let cache: TieredCache<String, String>
    let store: RedisStore

    /// - Parameter deadline: How long the cache waits for its store.
    init(_ configuration: RedisConfiguration, deadline: Duration) throws {
        var settings = RedisStore.Configuration()
        // These times only have to pass: nothing has to happen before they are over.
        settings.stalenessWindow = .milliseconds(100)
        store = try RedisStore(connectingTo: configuration, configuration: settings)
        let stack = StoreStack(
            [store],
            configuration: .init(
                deadline: deadline,
                failuresToOpen: 3,
                openFor: .milliseconds(50),
                maximumOpenFor: .milliseconds(100),
                retryAfter: .milliseconds(50)
            )
        )
        cache = TieredCache(
            name: "faults",
            configuration: .init(maximumCount: 1_000),
            stores: stack,
            codec: .string,
            recordKey: { RecordKey($0) },
            keyOfRecord: { String(decoding: $0.bytes, as: UTF8.self) }
        )
    }

    func close() async {
        await cache.close()
        await store.close()
    }

    /// The value of a key, which is loaded as `value` if need be.
    func value(_ key: String = "k", loading value: String, tags: Set<String> = []) async throws -> String {
        try await cache.value(forKey: key, tags: tags) { _ in value }
    }

    /// The value of a key by its store, past memory; if the store has none, the loaded value.
    func storedValue(_ key: String = "k", loading value: String, tags: Set<String> = []) async throws -> String {
        try await cache.value(forKey: key, policy: cache.policy.with { $0.skipping = .memory }, tags: tags) { _ in value }
    }

    var health: StoreHealth? { cache.storeHealth.first }

    /// Waits until the store is used without restriction, and has answered.
    func recovered() async throws {
        try await waitUntil {
            // A call finds out that the store works again.
            _ = await cache.value(forKey: "probe", policy: cache.policy.with { $0.skipping = .memory })
            guard health?.isSound ?? false else { return false }
            return await isAnswering
        }
    }

    /// Whether the store answers now.
    var isAnswering: Bool {
        get async {
            do {
                _ = try await store.record(forKey: RecordKey("probe"))
                return true
            } catch {
                return false
            }
        }
    }
}
