// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
@_spi(Client) import HoardRedis

/// The cache of a worker: memory in front of Redis.
enum CampaignCache {
    /// The longest time for which memory is used although the connection has silently ended: until the heartbeat has found out.
    static let heartbeatInterval = Duration.milliseconds(1_000)
    static let heartbeatTimeout = Duration.milliseconds(1_000)
    /// The interval at which memory is dropped while there is no connection.
    static let stalenessWindow = Duration.milliseconds(1_000)

    /// - Parameter onConnection: Called on the thread that reads the connection, when the connection stands
    ///   and when it no longer does.
    static func make(
        _ server: RedisConfiguration.Address,
        isTracked: Bool = true,
        policy: CachePolicy = CachePolicy(),
        onConnection: @escaping @Sendable (Bool) -> Void = { _ in }
    ) throws -> TieredCache<Int, String> {
        var configuration = RedisConfiguration(address: server)
        configuration.heartbeatInterval = heartbeatInterval
        configuration.heartbeatTimeout = heartbeatTimeout
        configuration.backoff.maximum = .milliseconds(500)
        var settings = RedisStore.Configuration()
        settings.keyPrefix = "campaign"
        settings.stalenessWindow = stalenessWindow
        if !isTracked { settings.tracking = .off }
        let store = try RedisStore(configuration: settings) { [configuration] (trackedPrefix, onEvent) throws(RedisError) -> any RedisConnection in
            try RedisClient(configuration, trackedPrefix: trackedPrefix) { event in
                switch event {
                case .connected: onConnection(true)
                case .disconnected: onConnection(false)
                case .push: break
                }
                onEvent(event)
            }
        }
        let stack = StoreStack(
            [store],
            configuration: .init(
                deadline: .seconds(1),
                openFor: .milliseconds(200),
                maximumOpenFor: .milliseconds(500),
                retryAfter: .milliseconds(200)
            )
        )
        return TieredCache(
            name: "campaign",
            configuration: .init(maximumCount: 10_000, policy: policy),
            stores: stack,
            codec: .string,
            recordKey: { RecordKey(CampaignKeys.name($0)) },
            keyOfRecord: { CampaignKeys.key(named: String(decoding: $0.bytes, as: UTF8.self)) }
        )
    }
}
