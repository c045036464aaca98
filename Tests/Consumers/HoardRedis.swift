// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: Redis
// packages: swift-atomics swift-collections swift-log swift-nio swift-nio-ssl swift-system

import Hoard
import HoardRedis

// No server listens there: the cache does without.
let redis = try RedisStore(connectingTo: RedisConfiguration(url: "redis://127.0.0.1:1"))
let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 100), stores: [redis], codec: .json)
let value = try await cache.value(forKey: "answer") { _ in 42 }
precondition(value == 42)
await cache.close()
