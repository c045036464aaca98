// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting

@testable import Hoard

/// The end of a run.
extension InterleavingRun {
    /// Looks into every tier when nothing is under way any more and the stores work again.
    func lookAtRest() async throws {
        for cache in caches { await cache.flush() }
        for task in left.value { await task.value }
        // A load whose callers have left goes on, and publishes.
        while caches.contains(where: { $0.loads.flightCount + $0.storeReads.flightCount + $0.coldStarts.flightCount > 0 }) {
            try Task.checkCancellation()
            await sleep(for: .seconds(1))
        }
        for cache in caches { await cache.flush() }
        await sleep(for: .seconds(5))
        for run in all {
            await run.look("at rest") { key, number in
                guard let name = run.cache.naming.recordKey(for: key) else { return nil }
                return if case .record(let record) = await run.cache.tiers[number].record(forKey: name) { record } else { nil }
            }
        }
        try await makeGood()
        // The stores have now made good the invalidations that they missed, so the test may look into them directly.
        for run in all {
            await run.look("in the end") { key, number in
                guard let name = run.cache.naming.recordKey(for: key) else { return nil }
                return try? await stores[number].record(forKey: name)
            }
            for key in keys {
                run.cache.memory.removeAll()
                let begun = run.log.now()
                if let found = await run.cache.lookup(forKey: key) { run.log.found(found, key, from: begun, "read in the end") }
            }
        }
        await removeEverythingOfOne()
    }

    /// Lets the stores work and answer until they have nothing to make good.
    private func makeGood() async throws {
        for store in stores { store.heal() }
        healing.open()
        await sleep(for: .seconds(200))
        // On the system's threads, the time that has passed does not show how much work is done.
        while !isSeeded, !isAtRest || !cache.storeHealth.allSatisfy(\.isSound) {
            try Task.checkCancellation()
            await sleep(for: .seconds(1))
            // The next caller closes an open circuit that has missed nothing.
            for tier in cache.tiers { _ = await tier.record(forKey: "no such key") }
        }
        if !isAtRest { log.complain("not made good after 200 seconds: \(cache.storeHealth)") }
    }

    private var isAtRest: Bool {
        cache.tiers.allSatisfy { tier in
            let health = tier.health
            return health.pendingInvalidations == 0 && !health.isInvalid && health.overdueCalls == 0 && tier.changeCount == 0
        }
    }

    private func look(_ when: String, record: (_ key: String, _ store: Int) async -> Record?) async {
        for key in keys {
            let begun = log.now()
            if let found = cache.memoryLookup(forKey: key) { log.found(found, key, from: begun, when) }
            for number in stores.indices {
                let begun = log.now()
                guard let record = await record(key, number), !record.isNegative,
                    let value = try? JSONDecoder().decode(Int.self, from: record.payload)
                else { continue }
                log.add(.read(value), [key], from: begun, scope: record.isFresh(at: time.now()) ? .both : .kept, "\(stores[number].name) \(when)")
            }
        }
    }

    /// Lets one cache remove everything that it has. The others keep their values, unless that cache has no name.
    ///
    /// The stores work by now, so written values are there.
    private func removeEverythingOfOne() async {
        let key = keys[0]
        let failures = failureCount
        for run in all {
            await run.cache.insert(-run.number, forKey: key)
            await run.cache.flush()
        }
        await caches[0].removeAll()
        let remover = caches[0].name ?? "the cache without a name"
        for run in all {
            run.cache.memory.removeAll()
            let found = await run.cache.lookup(forKey: key)?.value
            // On the system's threads, a load whose callers have all left may still move time, past a deadline.
            guard isSeeded || failureCount == failures else { return }
            let expected = run.number == 0 || caches[0].name == nil ? nil : -run.number
            if found != expected { run.log.complain("found \(found.map(String.init) ?? "nothing") after \(remover) had removed everything it had") }
        }
    }

    private var failureCount: Int { cache.tiers.reduce(0) { $0 + $1.failureCount } }
}
