// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import NIOCore
internal import Synchronization

extension RedisStore {
    /// Returns the number and size of this store's records on the server, and the counts of this instance's operations.
    ///
    /// While the database has no more keys than ``Configuration/exactCountLimit``, all kinds together, the number of records and bytes is counted;
    /// otherwise it is estimated from a sample. A count is remembered until something changes, or for five seconds if there are more than 1,000
    /// records; an estimate is remembered for five seconds. Bytes are those of keys and values; the server needs more for each. Evictions and
    /// expirations are the server's and not counted here. Removals are those of keys that this instance was asked for.
    public func statistics() async throws(StoreError) -> StoreStatistics {
        try checkOpen()
        var statistics = counters.withLock { $0 }
        let size = try await measuredSize()
        statistics.count = size.count
        statistics.bytes = size.bytes
        return statistics
    }

    private func measuredSize() async throws(StoreError) -> StoreSize {
        let (now, change) = (ticker.nanoseconds(), coherence.withLock { $0.log.latestChange })
        let isTracked = configuration.tracking != .off
        if let size = size.withLock({ $0.size(at: now, latestChange: isTracked ? change : nil) }) {
            // Whether there is a server is asked all the same.
            _ = try await send(RedisCommand("EXISTS", key: .bytes(keys.scope(.everything))))
            return size
        }
        let nodes = try await allNodes()
        var keyCount: Int64 = 0
        for node in nodes { keyCount = keyCount.addingSaturated(try count(try await send(RedisCommand("DBSIZE"), to: node))) }
        let isExact = keyCount <= configuration.exactCountLimit
        let measured = isExact ? try await count(on: nodes) : try await estimate(on: nodes, keyCount: keyCount)
        size.withLock { $0.remember(measured, isExact: isExact, at: now, latestChange: change) }
        return measured
    }

    /// A reply that says how many, or how long.
    private func count(_ reply: RESPValue) throws(StoreError) -> Int64 {
        let count = try integer(reply)
        guard count >= 0 else { throw .unexpectedReply(name) }
        return count
    }

    /// Looks at all keys.
    private func count(on nodes: [any RedisConnection]) async throws(StoreError) -> StoreSize {
        var seen: Set<RecordKey> = []
        for node in nodes {
            var cursor = RecordListings.Listing.start
            var stepCount = 0
            repeat {
                let (names, next) = try await scan(node, from: cursor, count: 1_000, pattern: keys.recordPattern)
                for name in names { if let key = recordKey(name) { seen.insert(key) } }
                cursor = next
                stepCount += 1
                // Far more than a server needs for the keys that it has.
                guard stepCount <= 1_000 + configuration.exactCountLimit / 10 else { throw .unexpectedReply(self.name) }
            } while cursor != RecordListings.Listing.start
        }
        return try await size(of: Array(seen))
    }

    /// Looks at some keys of each server: those that come first in its table, which are as good as any.
    private func estimate(on nodes: [any RedisConnection], keyCount: Int64) async throws(StoreError) -> StoreSize {
        var (looked, keys): (Int, Set<RecordKey>) = (0, [])
        for node in nodes {
            var cursor = RecordListings.Listing.start
            for _ in 0..<4 {
                let (names, next) = try await scan(node, from: cursor, count: 500, pattern: nil)
                looked += names.count
                for name in names { if let key = recordKey(name) { keys.insert(key) } }
                cursor = next
                if cursor == RecordListings.Listing.start { break }
            }
        }
        let sample = try await size(of: Array(keys))
        return sample.scaled(by: Double(keyCount) / Double(max(1, looked)))
    }

    /// How many of the keys have records of the present generation of everything, and how long they are. Those of earlier ones are removed.
    private func size(of recordKeys: [RecordKey]) async throws(StoreError) -> StoreSize {
        let before = try await readGenerations([.everything])[.everything] ?? nil
        var size = StoreSize()
        var useless: [(key: RecordKey, version: RecordVersion)] = []
        let replies = try await send(
            recordKeys.flatMap { key -> [RedisCommand] in
                let name = RedisCommand.Argument.bytes(keys.record(key))
                return [
                    RedisCommand("GETRANGE", key: name, [.integer(0), .integer(Int64(StoredRecord.beginningByteCount) - 1)]),
                    RedisCommand("STRLEN", key: name),
                ]
            }
        )
        for (index, key) in recordKeys.enumerated() {
            guard let value = try bytes(replies[2 * index]), let number = StoredRecord.generationNumber(inBeginningOf: value) else { continue }
            if number == before?.number {
                size.count += 1
                let length = try count(replies[2 * index + 1]).addingSaturated(Int64(key.bytes.count))
                size.bytes = Int(clamping: length.addingSaturated(Int64(size.bytes)))
            } else {
                useless.append((key, RecordVersion(ofValue: value)))
            }
        }
        if !useless.isEmpty {
            // A generation never comes back: a record whose generation is neither the one before nor the one after has
            // been removed.
            let after = try await readGenerations([.everything])[.everything] ?? nil
            if before?.number == after?.number { await removeUseless(useless) }
        }
        return size
    }
}

/// How much a store holds.
struct StoreSize: Sendable, Hashable {
    var count = 0
    var bytes = 0

    /// Saturates where there is no such number.
    func scaled(by factor: Double) -> StoreSize {
        func scaled(_ number: Int) -> Int { Int(exactly: (Double(number) * factor).rounded(.towardZero)) ?? .max }
        return StoreSize(count: scaled(count), bytes: scaled(bytes))
    }
}

/// The size that was measured last, for callers that ask often.
struct SizeMemory: Sendable {
    private var size: StoreSize?
    private var isExact = false
    private var time: Int64 = 0
    private var latestChange: UInt64 = 0

    static let nanosecondsKept: Int64 = 5_000_000_000
    /// A smaller store is counted anew as soon as something has changed.
    static let smallCount = 1_000

    /// - Parameter change: The latest change that was heard of; `nil` if the server does not tell.
    func size(at now: Int64, latestChange change: UInt64?) -> StoreSize? {
        guard let size, now &- time < Self.nanosecondsKept else { return nil }
        if !isExact || size.count > Self.smallCount { return size }
        return change == latestChange ? size : nil
    }

    mutating func remember(_ size: StoreSize, isExact: Bool, at now: Int64, latestChange: UInt64) {
        self.size = size
        self.isExact = isExact
        time = now
        self.latestChange = latestChange
    }
}
