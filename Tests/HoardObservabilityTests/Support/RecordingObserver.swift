// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

/// An observer that notes the reports that it gets, as text.
final class RecordingObserver: CacheObserver {
    private let name: String
    private let journal: Journal

    final class Journal: Sendable {
        private let state = Mutex<[String]>([])
        var lines: [String] { state.withLock { $0 } }
        func write(_ line: String) { state.withLock { $0.append(line) } }
    }

    init(_ name: String, in journal: Journal) {
        self.name = name
        self.journal = journal
    }

    func requestAnswered(_ result: CacheRequestResult, tier: CacheTier?, cache: String) {
        journal.write("\(name): request \(result) \(tier?.description ?? "-") \(cache)")
    }

    func loadEnded(_ outcome: CacheLoadOutcome, duration: Duration, cache: String) {
        journal.write("\(name): load \(outcome) \(duration) \(cache)")
    }

    func storeCallEnded(_ call: CacheStoreCall, outcome: CacheStoreOutcome, error: StoreError?, duration: Duration) {
        journal.write("\(name): \(call.operation) \(outcome) \(error?.code.description ?? "-") \(duration) \(call.store)")
    }

    func entriesRemoved(_ cause: RemovalCause, count: Int, cache: String) {
        journal.write("\(name): removed \(cause) \(count) \(cache)")
    }

    func eventOccurred(_ event: TieredCacheEvent) {
        journal.write("\(name): event \(event.store)")
    }

    func withLoad<Result: Sendable>(cache: String, _ operation: @Sendable () async throws -> Result) async throws -> Result {
        journal.write("\(name): load of \(cache) begins")
        defer { journal.write("\(name): load of \(cache) is over") }
        return try await operation()
    }

    func withStoreCall<Result: Sendable>(_ call: CacheStoreCall, _ operation: @Sendable () async -> Result) async -> Result {
        journal.write("\(name): call of \(call.store) begins")
        defer { journal.write("\(name): call of \(call.store) is over") }
        return await operation()
    }
}
