// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Hoard
internal import Synchronization

/// How long a change by another process takes to leave memory, once the store has heard of it.
enum Invalidations {
    private static let busyTasks = [0, 16]

    static func table(changes: Int) async -> String {
        var table = Table(header: ["change by another", "busy tasks", "µs until it has left memory: median", "min", "max"], leading: 1)
        for busy in busyTasks {
            let load = Load(busy)
            for (name, store) in [("told by a watch", WatchedStore()), ("told by a stream", StreamingStore())] as [(String, any TellingStore)] {
                let sample = await delays(store, changes: changes)
                table.add([name, "\(busy)", decimal(sample.median), decimal(sample.minimum), decimal(sample.maximum)])
            }
            withExtendedLifetime(load) {}
        }
        return table.text
    }

    private static func delays(_ store: any TellingStore, changes: Int) async -> Sample {
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json)
        var sample = Sample()
        for _ in 0..<changes {
            await cache.insert(1, forKey: "a")
            let start = monotonicNanoseconds()
            store.tell(StoreInvalidation(key: "a"))
            while cache.memoryValue(forKey: "a") != nil { await Task.yield() }
            sample.add(Double(monotonicNanoseconds() - start) / 1e3)
        }
        return sample
    }

    /// Keeps all threads busy until it is released.
    private final class Load: Sendable {
        private let tasks: [Task<Void, Never>]

        init(_ count: Int) {
            tasks = (0..<count).map { _ in
                Task {
                    var generator = SeededGenerator(seed: 1)
                    var sum: UInt64 = 0
                    while !Task.isCancelled {
                        for _ in 0..<20_000 { sum &+= generator.next() }
                        await Task.yield()
                    }
                    withExtendedLifetime(sum) {}
                }
            }
        }

        deinit { for task in tasks { task.cancel() } }
    }
}

/// A store in memory that reports changes by other processes.
private protocol TellingStore: RecordStore {
    var base: MemoryStore { get }

    func tell(_ change: StoreInvalidation)
}

extension TellingStore {
    func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func close() async { await base.close() }
}

private final class StreamingStore: TellingStore {
    let name = "streaming"
    let base = MemoryStore()
    private let (stream, continuation) = AsyncStream.makeStream(of: StoreInvalidation.self)

    func invalidations() -> AsyncStream<StoreInvalidation>? { stream }
    func tell(_ change: StoreInvalidation) { continuation.yield(change) }
}

private final class WatchedStore: TellingStore, SharedRecordStore {
    let name = "watched"
    let base = MemoryStore()
    private let watchers = Mutex<[@Sendable (StoreInvalidation) -> Void]>([])

    var position: StorePosition { StorePosition(number: 0) }

    func insert(_ record: Record, forKey key: RecordKey, ifUnchangedSince position: StorePosition) async throws(StoreError) -> Bool {
        try await insert(record, forKey: key)
        return true
    }

    func watch(_ onChange: @escaping @Sendable (StoreInvalidation) -> Void) -> StoreWatch {
        watchers.withLock { $0.append(onChange) }
        return StoreWatch {}
    }

    func tell(_ change: StoreInvalidation) { for watcher in watchers.withLock({ $0 }) { watcher(change) } }
}
