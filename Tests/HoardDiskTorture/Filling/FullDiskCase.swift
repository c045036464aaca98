// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardDisk
import HoardProcessTestSupport

/// A case: a store is on a file system that fills up and is freed again.
struct FullDiskCase {
    let directory: String
    let foreign: ForeignFile
    let number: Int
    let seed: UInt64
    private(set) var failures: [String] = []
    private(set) var writeCount = 0
    private(set) var refusalCount = 0
    private(set) var readCount = 0
    private var generator: SplitMixGenerator
    private var ledger = Ledger(keys: Self.keys)
    /// The number of loads that have run. Versions grow with it.
    private var rounds = 0

    /// The keys. There are so many that the store alone would fill the disk.
    static let keys = 0..<400

    init(directory: String, foreign: ForeignFile, number: Int, seed: UInt64) {
        self.directory = directory
        self.foreign = foreign
        self.number = number
        self.seed = seed
        generator = SplitMixGenerator(seed: seed, part: number)
    }

    mutating func run() async throws {
        let damage = DamageRecorder()
        do {
            let store = try damage.open(directory, limits: .none)
            foreign.grow(to: Int.random(in: 8 << 20...16 << 20, using: &generator))
            await fill(store)
            for _ in 0..<3 {
                foreign.shrink(to: foreign.byteCount - Int.random(in: 0...2 << 20, using: &generator))
                await load(store, steps: 40)
                foreign.grow()
                await load(store, steps: 20)
            }
            try await judge(store, "while the disk was full")
            await openAnother(damage)
            try await killWriter()
            try await judge(store, "after another process was killed on a full disk")
            foreign.remove()
            try await recover(store)
            await store.close()
            let reopened = try damage.open(directory, limits: .none)
            try await judge(reopened, "after it was opened again")
            await reopened.close()
        } catch let error as StoreError {
            fail("the store failed: \(error.report)")
        }
        for message in damage.takeLosses() { fail(message) }
        if refusalCount == 0 { fail("the disk never was full, so the case has tried nothing") }
    }

    private mutating func fail(_ what: String) { failures.append(what) }

    /// Writes until the disk is full.
    private mutating func fill(_ store: DiskStore) async {
        let before = refusalCount
        for _ in 0..<40 where refusalCount == before { await load(store, steps: 25) }
    }

    /// Runs the tasks. Their writes may fail because the disk is full, and for no other reason.
    private mutating func load(_ store: DiskStore, steps: Int) async {
        rounds += 1
        let (round, ledger, seed) = (number * 1000 + rounds, ledger, seed)
        let tasks = await withTaskGroup(of: LoadTask.self) { group in
            for owner in 0..<Content.ownerCount {
                group.addTask {
                    var task = LoadTask(owner: owner, keys: Self.keys, limits: .none, seed: seed, round: round, ledger: ledger)
                    task.tolerated = [.full]
                    for _ in 0..<steps { await task.step(on: store) }
                    return task
                }
            }
            return await group.reduce(into: [LoadTask]()) { $0.append($1) }
        }
        for task in tasks {
            self.ledger.adopt(task.ledger, keys: Self.keys.filter { Content.owner(ofKey: $0) == task.owner })
            failures += task.failures
            writeCount += task.writeCount
            refusalCount += task.refusalCount
            readCount += task.readCount
        }
    }

    private mutating func judge(_ store: DiskStore, _ when: String) async throws(StoreError) {
        var check = StoreCheck(directory: directory, keys: Self.keys, limits: .none)
        let found = try await check.judge(store, &ledger)
        failures += found.map { "\($0), \(when)" }
        readCount += check.readCount
    }

    /// Opens and closes a second store while the disk is full. It may refuse, but must tell the
    /// reason and leave the first store alone.
    private mutating func openAnother(_ damage: DamageRecorder) async {
        do throws(StoreError) {
            let other = try damage.open(directory, limits: .none)
            var check = StoreCheck(directory: directory, keys: Self.keys, limits: .none)
            failures += try await check.judge(other, &ledger).map { "\($0), in a second store on a full disk" }
            readCount += check.readCount
            await other.close()
        } catch {
            if error.code != .full { fail("opening a second store on a full disk failed: \(error.report)") }
        }
    }

    /// Kills another process that writes to the full disk.
    private mutating func killWriter() async throws(SystemFailure) {
        rounds += 1
        let worker = try WorkerProcess([
            "load-worker", "--directory", directory, "--seed", "\(seed)", "--round", "\(number * 1000 + rounds)",
            "--keys", "\(Self.keys.count)", "--full",
        ])
        var log = WorkerLog()
        var deadline = ContinuousClock.now + .seconds(30)
        let delay = Duration.microseconds(Int.random(in: 0...100_000, using: &generator))
        while !worker.isAtEnd && .now < deadline {
            for line in worker.nextLines(until: deadline) where log.note(line, &ledger) == .ready { deadline = .now + delay }
        }
        let ending = worker.isAtEnd ? worker.wait() : worker.kill()
        if ending != .signalled(9) { fail("the process on a full disk \(ending)") }
        while !worker.isAtEnd {
            for line in worker.nextLines(until: .now + .seconds(10)) { log.note(line, &ledger) }
        }
        failures += log.failures.map { "\($0), in the process on a full disk" }
    }

    /// Checks that every write succeeds once there is space, although the store is not opened again.
    private mutating func recover(_ store: DiskStore) async throws(StoreError) {
        for key in Self.keys.prefix(20) {
            let version = number * 1_000_000_000 + 999_000_000 + key
            try await store.insert(Content.record(key: key, version: version), forKey: Content.key(key))
            ledger.acknowledge(.insert(key: key, version: version))
            writeCount += 1
        }
        try await judge(store, "after space was freed")
    }
}
