// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import NIOCore
import Synchronization

@_spi(Client) @testable import HoardRedis

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A fake server and two stores on it, as in two processes.
struct RedisStoreWorld {
    let time = ManualTicker()
    let server: FakeRedis
    let here: RedisStore
    let there: RedisStore

    init(_ configuration: RedisStore.Configuration = .init()) throws {
        server = FakeRedis(ticker: time)
        here = try server.makeStore(configuration, clock: time)
        there = try server.makeStore(configuration, clock: time)
    }

    func record(_ text: String, freshFor: Duration? = nil, tags: Set<String> = [], partition: String? = nil) -> Record {
        let date = freshFor.map { time.now().addingTimeInterval(Double($0.components.seconds)) }
        return Record(payload: Data(text.utf8), created: time.now(), freshUntil: date, tags: tags, partition: partition)
    }

    func text(_ store: RedisStore, _ key: RecordKey) async throws -> String? {
        try await store.record(forKey: key).map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// The prefix of the keys on the server.
    static func name(_ rest: String) -> [UInt8] { Array("hoard{}:\(rest)".utf8) }

    func name(_ rest: String) -> [UInt8] { Self.name(rest) }

    /// Whether the server has a tombstone in the place of a record.
    func hasTombstone(_ key: String) -> Bool {
        guard let value = server.value(forKey: name("r" + key)) else { return false }
        return if case .tombstone = StoredValue(ByteBuffer(bytes: value), key: RecordKey(key)) { true } else { false }
    }
}

/// The changes by other processes that a store reports.
final class Hearing: Sendable {
    private let heard = Mutex<[StoreInvalidation]>([])
    private let watch = Mutex<StoreWatch?>(nil)

    init(_ store: RedisStore) {
        watch.withLock { $0 = store.watch { [weak self] invalidation in self?.heard.withLock { $0.append(invalidation) } } }
    }

    var all: [StoreInvalidation] { heard.withLock { $0 } }

    func forget() { heard.withLock { $0 = [] } }
}
