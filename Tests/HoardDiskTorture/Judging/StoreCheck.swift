// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardDisk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A check that opens a store after a fault and judges its whole content.
struct StoreCheck {
    let directory: String
    let keys: Range<Int>
    let limits: StoreLimits
    private(set) var readCount = 0

    init(directory: String, keys: Range<Int>, limits: StoreLimits) {
        self.directory = directory
        self.keys = keys
        self.limits = limits
    }

    /// Reads every key, judges it by the ledger, then writes, reads and removes. Returns the failures.
    ///
    /// - Parameter version: A version that was never written, for the write.
    mutating func run(_ ledger: inout Ledger, version: Int) async -> [String] {
        let damage = DamageRecorder()
        do throws(StoreError) {
            let store = try damage.open(directory, limits: limits)
            var failures = try await judge(store, &ledger)
            failures += try await work(store, version: version)
            failures += limits.violations(in: try await store.statistics())
            failures += try await judgeSize(store)
            await store.close()
            return failures + damage.takeLosses()
        } catch {
            return ["the store failed: \(error.report)"] + damage.takeLosses()
        }
    }

    /// Reads every key.
    mutating func judge(_ store: DiskStore, _ ledger: inout Ledger) async throws(StoreError) -> [String] {
        var failures: [String] = []
        let statistics = try await store.statistics()
        failures += limits.violations(in: statistics)
        for key in keys {
            let record = try await store.record(forKey: Content.key(key))
            readCount += 1
            guard let held = Held(record, key: key) else {
                failures.append("key \(key) has wrong bytes: \(record?.validator ?? "no validator")")
                continue
            }
            let possible = ledger.possibilities(forKey: key)
            if !ledger.observe(held, forKey: key) {
                failures.append("key \(key) holds \(held) instead of \(possible?.listed ?? "anything")")
            }
        }
        return failures
    }

    /// Writes, reads and removes a key that no other task uses.
    private func work(_ store: DiskStore, version: Int) async throws(StoreError) -> [String] {
        let number = keys.upperBound + Content.ownerCount * 100
        let key = Content.key(number)
        try await store.insert(Content.record(key: number, version: version), forKey: key)
        if Held(try await store.record(forKey: key), key: number) != .version(version) {
            return ["a record that was just written cannot be read"]
        }
        try await store.removeRecord(forKey: key)
        if try await store.record(forKey: key) != nil { return ["a record that was just removed can be read"] }
        return []
    }

    /// Checks that files without a reference do not pile up. The files that SQLite keeps for
    /// later are within the allowance.
    private func judgeSize(_ store: DiskStore) async throws(StoreError) -> [String] {
        let charged = try await store.statistics().bytes
        let size = FileTree(directory).files.reduce(0) { $0 + $1.byteCount }
        let allowed = 4 * charged + 64 << 20
        return size <= allowed ? [] : ["the directory has \(size) bytes of files for \(charged) bytes of records"]
    }
}
