// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardDisk

/// A task of a process that shares a store. It writes its own keys and reads the keys of all tasks.
struct SharedTask: Sendable {
    let ownKeys: [Int]
    let keyCount: Int
    let progress: SharedProgress
    let limits: StoreLimits
    var generator: SplitMixGenerator
    private(set) var readCount = 0
    private(set) var failures: [String] = []

    init(ownKeys: [Int], keyCount: Int, progress: SharedProgress, limits: StoreLimits, generator: SplitMixGenerator) {
        self.ownKeys = ownKeys
        self.keyCount = keyCount
        self.progress = progress
        self.limits = limits
        self.generator = generator
    }

    mutating func step(on store: DiskStore) async {
        do throws(StoreError) {
            if generator.chance(1, in: 3), let key = ownKeys.randomElement(using: &generator) {
                try await write(key, on: store)
                if generator.chance(1, in: 4) { failures += limits.violations(in: try await store.statistics()) }
            } else {
                try await read(Int.random(in: 0..<keyCount, using: &generator), on: store)
            }
        } catch {
            failures.append("an operation failed: \(error.report)")
        }
    }

    /// Takes the key's next step. A step counts as taken if the process was killed during it, and
    /// leaves one of two possible contents.
    private mutating func write(_ key: Int, on store: DiskStore) async throws(StoreError) {
        let step = progress.intended(key) + 1
        progress.intend(step, key: key)
        switch SharedStep(step) {
        case .insert: try await store.insert(Content.record(key: key, version: step), forKey: Content.key(key))
        case .remove: try await store.removeRecord(forKey: Content.key(key))
        case .removeTag: try await store.removeRecords(taggedWith: SharedStep.tag(key: key))
        }
        progress.acknowledge(step, key: key)
    }

    mutating func read(_ key: Int, on store: DiskStore) async throws(StoreError) {
        let acknowledged = progress.acknowledged(key)
        let record = try await store.record(forKey: Content.key(key))
        let intended = progress.intended(key)
        readCount += 1
        guard let held = Held(record, key: key) else {
            failures.append("key \(key) has wrong bytes: \(record?.validator ?? "no validator")")
            return
        }
        if !SharedStep.allows(held, from: acknowledged, through: intended, mayLose: limits.mayLose) {
            failures.append("key \(key) holds \(held); steps \(acknowledged) to \(intended) were possible")
        }
    }
}
