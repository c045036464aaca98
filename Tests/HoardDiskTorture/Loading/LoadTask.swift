// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardDisk

/// One task of a mixed load on a store: writes, overwrites, removals and reads, one after the other.
///
/// Only this task writes the keys of its owner number. So it knows the content of these keys and can judge its reads.
struct LoadTask: Sendable {
    let owner: Int
    let keys: Range<Int>
    /// The output to which the task reports each operation before it starts and after it has returned.
    var output: LineWriter?
    /// Errors that are no failure of the store, such as the error of a full disk.
    var tolerated: Set<StoreError.Code> = []
    var maximumByteCount = Content.maximumPayloadByteCount
    let limits: StoreLimits
    var generator: SplitMixGenerator
    /// The next version, which is later than all that were written before.
    var nextVersion: Int
    var ledger: Ledger
    private(set) var writeCount = 0
    private(set) var readCount = 0
    private(set) var refusalCount = 0
    /// The failures that the task has found.
    private(set) var failures: [String] = []

    init(owner: Int, keys: Range<Int>, limits: StoreLimits, seed: UInt64, round: Int, ledger: Ledger? = nil) {
        self.owner = owner
        self.keys = keys
        self.limits = limits
        generator = SplitMixGenerator(seed: seed, part: round * Content.ownerCount + owner)
        nextVersion = round * 1_000_000
        self.ledger = ledger ?? Ledger(unknownAllowingLoss: limits.mayLose)
    }

    private mutating func ownKey() -> Int {
        let own = Array(stride(from: keys.lowerBound + owner, to: keys.upperBound, by: Content.ownerCount))
        return own.randomElement(using: &generator) ?? owner
    }

    /// Does one random operation.
    mutating func step(on store: DiskStore) async {
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<52:
            nextVersion += 1
            await perform(.insert(key: ownKey(), version: nextVersion), on: store)
        case ..<60:
            await perform(.remove(key: ownKey()), on: store)
        case ..<64:
            await perform(.removeTag(owner * Content.tagsPerOwner + Int.random(in: 0..<Content.tagsPerOwner, using: &generator)), on: store)
        case ..<82:
            await read(ownKey(), on: store)
        default:
            await read(keys.randomElement(using: &generator) ?? 0, on: store)
        }
    }

    mutating func perform(_ operation: StoreChange, on store: DiskStore) async {
        output?.write(LoadLine.intent(operation).description)
        ledger.intend(operation)
        do throws(StoreError) {
            switch operation {
            case .insert(let key, let version):
                let record = Content.record(key: key, version: version, maximumByteCount: maximumByteCount)
                try await store.insert(record, forKey: Content.key(key))
            case .remove(let key):
                try await store.removeRecord(forKey: Content.key(key))
            case .removeTag(let tag):
                try await store.removeRecords(taggedWith: Content.tagName(tag))
            }
            output?.write(LoadLine.done(operation).description)
            ledger.acknowledge(operation)
            writeCount += 1
        } catch {
            output?.write(LoadLine.failed(operation, code: error.code.description).description)
            ledger.fail(operation)
            refusalCount += 1
            if !tolerated.contains(error.code) { fail("\(operation) failed: \(error.report)") }
        }
    }

    mutating func read(_ key: Int, on store: DiskStore) async {
        do throws(StoreError) {
            let record = try await store.record(forKey: Content.key(key))
            readCount += 1
            guard let held = Held(record, key: key) else { return fail("key \(key) has wrong bytes") }
            guard Content.owner(ofKey: key) == owner else { return }
            let possible = ledger.possibilities(forKey: key)
            if !ledger.observe(held, forKey: key) {
                fail("key \(key) holds \(held) instead of \(possible?.listed ?? "anything")")
            }
        } catch {
            fail("reading key \(key) failed: \(error.report)")
        }
    }

    /// Judges the store's own figures against the limits.
    mutating func checkLimits(of store: DiskStore) async {
        do throws(StoreError) {
            for violation in limits.violations(in: try await store.statistics()) { fail(violation) }
        } catch {
            fail("reading the statistics failed: \(error.report)")
        }
    }

    private mutating func fail(_ what: String) {
        failures.append("task \(owner): \(what)")
        output?.write(LoadLine.wrong(what).description)
    }
}

extension Held {
    /// The content that a read has found, or `nil` if it is no version of the key.
    init?(_ record: Record?, key: Int) {
        guard let record else {
            self = .nothing
            return
        }
        guard let version = Content.version(of: record, key: key) else { return nil }
        self = .version(version)
    }
}

extension Set<Held> {
    /// The content in words, for reports.
    var listed: String { map(\.description).sorted().joined(separator: " or ") }
}
