// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

@testable import Hoard

extension InterleavingRun {
    func load(_ key: String, _ policy: CachePolicy?, using generator: inout SeededGenerator) async {
        let loader = Loader(run: self, seed: generator.next())
        let begun = log.now()
        if let found = try? await cache.lookupIfExists(forKey: key, policy: policy, load: { try await loader.load($0) }) {
            log.found(found, key, from: begun, "load")
        }
    }

    func loadMany(_ keys: [String], _ policy: CachePolicy?, using generator: inout SeededGenerator) async {
        let loader = Loader(run: self, seed: generator.next())
        let begun = log.now()
        let found = try? await cache.lookups(forKeys: keys, policy: policy) { requests in try await loader.load(requests) }
        log.found(found ?? [:], keys, from: begun, "bulk load")
    }

    /// Starts a caller that is cancelled, and leaves before or after it gets an answer.
    func loadAndLeave(_ key: String, _ policy: CachePolicy?, using generator: inout SeededGenerator) async {
        let seed = generator.next()
        let caller = SeededExecutor.task {
            var generator = SeededGenerator(seed: seed)
            await load(key, policy, using: &generator)
        }
        await pause(using: &generator)
        caller.cancel()
        await caller.value
    }

    func warmUp(_ keys: [String], _ policy: CachePolicy?, using generator: inout SeededGenerator) async {
        let loader = Loader(run: self, seed: generator.next())
        _ = try? await cache.warmUp(keys, maximumConcurrency: 2, policy: policy) { key in
            // Such a load can give neither tags nor a partition.
            try await loader.version(key, after: loader.begin()) {
                InterleavingLog.tags(of: $0).isEmpty && InterleavingLog.partition(of: $0) == nil
            }
        }
    }

    /// A loader that takes time before and after it asks the source, and may fail.
    private struct Loader: Sendable {
        let run: InterleavingRun
        let generator: Shared<SeededGenerator>

        init(run: InterleavingRun, seed: UInt64) {
            self.run = run
            generator = Shared(SeededGenerator(seed: seed))
        }

        func begin() -> RegisterHistory.Moment { run.log.now() }

        func load(_ request: LoadRequest<String, Int>) async throws -> LoadResult<Int> {
            let begun = begin()
            let version = try await version(request.key, after: begun)
            if let stale = request.staleValue, stale.value == version { return .notModified() }
            if chance(of: 10) { return .absent() }
            return .value(version, tags: InterleavingLog.tags(of: version), partition: InterleavingLog.partition(of: version))
        }

        func load(_ requests: [LoadRequest<String, Int>]) async throws -> [String: LoadResult<Int>] {
            let begun = begin()
            var results: [String: LoadResult<Int>] = [:]
            for request in requests where !chance(of: 10) {
                let version = try await version(request.key, after: begun)
                results[request.key] = .value(version, tags: InterleavingLog.tags(of: version), partition: InterleavingLog.partition(of: version))
            }
            return results
        }

        func version(
            _ key: String,
            after begun: RegisterHistory.Moment,
            where isAcceptable: (Int) -> Bool = { _ in true }
        ) async throws -> Int {
            var generator = generator.update { SeededGenerator(seed: $0.next()) }
            await run.pause(using: &generator)
            let version = run.log.source(key)
            await run.pause(using: &generator)
            try Task.checkCancellation()
            if chance(of: 10) || !isAcceptable(version) { throw StoreError(.unavailable, "The source says no.") }
            run.log.add(.publish(version), [key], from: begun, to: .max, "loader")
            return version
        }

        private func chance(of count: Int) -> Bool {
            generator.update { Int.random(in: 0..<count, using: &$0) == 0 }
        }
    }
}
