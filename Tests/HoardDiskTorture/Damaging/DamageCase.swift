// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardDisk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A case: a copy of a store is damaged, opened, judged, written again and opened again.
struct DamageCase {
    let number: Int
    let fixture: Fixture
    let plan: FaultPlan
    let faults: [Fault]
    let directory: String
    private(set) var readCount = 0
    /// The number of reads that found the record from before the damage.
    private(set) var survivorCount = 0
    /// Whether the store was not opened because the damage made it look like a store of another
    /// program or a later version.
    private(set) var wasRefused = false
    private(set) var failures: [String] = []
    private let damage = DamageRecorder()
    private var generator: SplitMixGenerator

    /// - Parameter faults: By default the faults that the plan derives from the seed and the case's number.
    init(number: Int, fixture: Fixture, plan: FaultPlan, seed: UInt64, directory: String, faults: [Fault]? = nil) {
        self.number = number
        self.fixture = fixture
        self.plan = plan
        self.directory = directory
        generator = SplitMixGenerator(seed: seed, part: number)
        let planned = plan.faults(in: fixture.tree.files, using: &generator)
        self.faults = faults ?? planned
    }

    private func touches(_ kinds: FileKind...) -> Bool {
        faults.contains { $0.paths.contains { kinds.contains(FileKind(path: $0)) } }
    }

    /// Copies the store and damages the copy.
    func prepare(_ directory: String) throws {
        try fixture.tree.copy(to: directory)
        for fault in faults { try fault.apply(to: directory) }
    }

    mutating func run() async throws {
        try prepare(directory)
        do throws(StoreError) {
            let store = try damage.open(directory, limits: .none)
            try await judge(store)
            if generator.chance(1, in: 8) { try await store.removeAll() }
            if generator.chance(1, in: 8) { try await store.removeRecords(taggedWith: "all") }
            try await renew(store, version: 5_000_000)
            await store.close()
            try await reopen()
        } catch {
            if [.foreign, .newerFormat].contains(error.code) && touches(.database, .log) && plan == .corruption {
                wasRefused = true
            } else {
                fail("the store failed: \(error.report)")
            }
        }
    }

    private mutating func fail(_ what: String) { failures.append(what) }

    /// Reads all keys of the damaged store.
    private mutating func judge(_ store: DiskStore) async throws(StoreError) {
        var found: [Int: Held] = [:]
        for key in FixtureCommand.keys {
            let record = try await store.record(forKey: Content.key(key))
            readCount += 1
            guard let held = Held(record, key: key) else {
                fail("key \(key) has wrong bytes: \(record?.validator ?? "no validator")")
                continue
            }
            found[key] = held
            if held != .nothing { survivorCount += 1 }
        }
        switch plan {
        case .corruption: judgeEach(found)
        case .powerLoss: judgeTogether(found)
        }
    }

    /// Judges each record by itself after arbitrary damage: it may be present or gone, or older
    /// if the log was damaged.
    private mutating func judgeEach(_ found: [Int: Held]) {
        for (key, held) in found where held != .nothing && held != fixture.present[key, default: .nothing] {
            if touches(.log) && fixture.hasHeld(held, key: key) { continue }
            fail("key \(key) holds \(held) instead of \(fixture.present[key, default: .nothing])")
        }
    }

    /// Judges the store after a loss of power. It must have the content of some moment, except for
    /// payloads that never reached the disk.
    private mutating func judgeTogether(_ found: [Int: Held]) {
        let mayMiss = touches(.log, .payload)
        let moments = touches(.log) ? fixture.states[...] : fixture.states.suffix(1)
        let isMoment = moments.contains { state in
            found.allSatisfy { key, held in held == state[key, default: .nothing] || (mayMiss && held == .nothing) }
        }
        if !isMoment {
            let list = found.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
            fail("the store never held at one time what it holds now: \(list)")
        }
        // A log that ends early is not damage, because SQLite is made for it.
        for message in damage.take() where message.hasPrefix("databaseSetAside") { fail(message) }
    }

    /// Writes and reads every key. Damage that shows only now may cost records once more, but
    /// the store must report it.
    private mutating func renew(_ store: DiskStore, version: Int) async throws(StoreError) {
        for attempt in 1...4 {
            _ = damage.take()
            for key in FixtureCommand.keys {
                let record = Content.record(key: key, version: version, maximumByteCount: FixtureCommand.maximumByteCount)
                try await store.insert(record, forKey: Content.key(key))
            }
            let missing = try await missing(in: store, version: version)
            if missing.isEmpty { return }
            let messages = damage.take()
            if messages.isEmpty || attempt == 4 {
                return fail("keys \(missing) were written and cannot be read (attempt \(attempt); \(messages.count) reports)")
            }
        }
    }

    /// The keys that do not hold the version. It is a failure if one holds another version.
    private mutating func missing(in store: DiskStore, version: Int) async throws(StoreError) -> [Int] {
        var missing: [Int] = []
        for key in FixtureCommand.keys {
            let record = try await store.record(forKey: Content.key(key))
            readCount += 1
            switch Held(record, key: key) {
            case .version(version): continue
            case .nothing: missing.append(key)
            case let held: fail("key \(key) holds \(held?.description ?? "wrong bytes") after it was written anew")
            }
        }
        return missing
    }

    private mutating func reopen() async throws(StoreError) {
        _ = damage.take()
        let store = try damage.open(directory, limits: .none)
        let missing = try await missing(in: store, version: 5_000_000)
        if !missing.isEmpty && damage.isEmpty { fail("keys \(missing) are missing after the store was closed and opened again") }
        try await renew(store, version: 5_000_001)
        await store.close()
    }
}
