// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import Testing

@testable import HoardDiskTorture

/// The judgement of the campaigns, on stores that have done something wrong.
@Suite final class StoreCheckTests {
    private let directory = NSTemporaryDirectory() + "hoard-check-\(UUID().uuidString)"
    private let keys = 0..<8

    deinit {
        for suffix in ["", "-case"] { try? FileManager.default.removeItem(atPath: directory + suffix) }
    }

    private func fill(_ versions: [Int: Int], _ directory: String? = nil) async throws {
        let store = try DamageRecorder().open(directory ?? self.directory, limits: .none)
        for (key, version) in versions { try await store.insert(Content.record(key: key, version: version), forKey: Content.key(key)) }
        await store.close()
    }

    private func failures(_ ledger: Ledger, limits: StoreLimits = .none) async -> [String] {
        var ledger = ledger
        var check = StoreCheck(directory: directory, keys: keys, limits: limits)
        return await check.run(&ledger, version: 99)
    }

    @Test func aStoreThatHoldsWhatWasAcknowledgedIsRight() async throws {
        try await fill([0: 1, 1: 2])
        var ledger = Ledger(keys: keys)
        ledger.acknowledge(.insert(key: 0, version: 1))
        ledger.acknowledge(.insert(key: 1, version: 2))
        #expect(await failures(ledger) == [])
    }

    @Test func whatWasLostOrIsOldOrCameBackIsFound() async throws {
        try await fill([0: 1, 1: 1])
        var ledger = Ledger(keys: keys)
        ledger.acknowledge(.insert(key: 0, version: 2))
        ledger.acknowledge(.insert(key: 2, version: 1))
        #expect(
            await failures(ledger) == [
                "key 0 holds version 1 instead of version 2", "key 1 holds version 1 instead of nothing", "key 2 holds nothing instead of version 1",
            ]
        )
    }

    @Test func theBytesOfAnotherKeyAreFound() async throws {
        let store = try DamageRecorder().open(directory, limits: .none)
        try await store.insert(Content.record(key: 1, version: 1), forKey: Content.key(0))
        await store.close()
        #expect(await failures(Ledger(unknownAllowingLoss: true)).count == 1)
    }

    @Test func aStoreThatCannotBeOpenedIsFound() async throws {
        try Data("a file".utf8).write(to: URL(fileURLWithPath: directory))
        let failures = await failures(Ledger(keys: keys))
        #expect(failures.count == 1)
        #expect(failures.first?.contains("notADirectory") == true)
    }

    @Test func limitsThatDoNotHoldAreFound() {
        var statistics = StoreStatistics()
        statistics.count = 26
        statistics.bytes = (1 << 20) + 1
        #expect(StoreLimits.small.violations(in: statistics).count == 2)
        #expect(StoreLimits.none.violations(in: statistics).isEmpty)
        statistics.count = 25
        statistics.bytes = 1 << 20
        #expect(StoreLimits.small.violations(in: statistics).isEmpty)
    }

    // MARK: Cases of damage

    /// A fixture whose log has `lines`, whatever the store holds.
    private func fixture(_ versions: [Int: Int], saying lines: [LoadLine]) async throws -> Fixture {
        let root = directory + "/fixture-0"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try await fill(versions, root + "/store")
        try Data(lines.map { $0.description + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: root + "/log"))
        return try Fixture(directory, number: 0)
    }

    private func run(_ fixture: Fixture, _ plan: FaultPlan, faults: [Fault] = []) async throws -> DamageCase {
        var damageCase = DamageCase(number: 0, fixture: fixture, plan: plan, seed: 1, directory: directory + "-case", faults: faults)
        try await damageCase.run()
        return damageCase
    }

    @Test(arguments: [FaultPlan.corruption, .powerLoss])
    func aStoreWithoutDamageIsRight(plan: FaultPlan) async throws {
        let lines = [LoadLine.done(.insert(key: 0, version: 1)), .done(.insert(key: 0, version: 2)), .done(.insert(key: 1, version: 3))]
        let result = try await run(fixture([0: 2, 1: 3], saying: lines), plan)
        #expect(result.failures == [])
        #expect(result.survivorCount == 2)
    }

    @Test(arguments: [FaultPlan.corruption, .powerLoss])
    func anOlderVersionIsFound(plan: FaultPlan) async throws {
        let lines = [LoadLine.done(.insert(key: 0, version: 1)), .done(.insert(key: 0, version: 2))]
        let result = try await run(fixture([0: 1], saying: lines), plan)
        #expect(result.failures.count == 1)
    }

    @Test func anOlderVersionIsRightIfTheLogWasDamaged() async throws {
        let lines = [LoadLine.done(.insert(key: 0, version: 1)), .done(.insert(key: 0, version: 2))]
        let result = try await run(fixture([0: 1], saying: lines), .corruption, faults: [.delete("hoard.sqlite-wal")])
        #expect(result.failures == [])
    }

    @Test func versionsThatWereNeverThereTogetherAreFoundAfterALossOfPower() async throws {
        let lines = [
            LoadLine.done(.insert(key: 0, version: 1)), .done(.insert(key: 1, version: 1)), .done(.insert(key: 0, version: 2)),
            .done(.insert(key: 1, version: 2)),
        ]
        let fault = [Fault.delete("hoard.sqlite-wal")]
        #expect(try await run(fixture([0: 1, 1: 2], saying: lines), .powerLoss, faults: fault).failures.count == 1)
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.removeItem(atPath: directory + "-case")
        #expect(try await run(fixture([0: 2, 1: 1], saying: lines), .powerLoss, faults: fault).failures == [])
    }

    @Test func whatALossOfPowerDidNotTouchMustBeThere() async throws {
        let lines = [LoadLine.done(.insert(key: 0, version: 1)), .done(.insert(key: 1, version: 1))]
        #expect(try await run(fixture([0: 1], saying: lines), .powerLoss).failures.count == 1)
    }

    @Test func aDatabaseSetAsideIsNoDamageOfALossOfPower() async throws {
        let lines = [LoadLine.done(.insert(key: 0, version: 1))]
        let result = try await run(fixture([0: 1], saying: lines), .powerLoss, faults: [.truncate("hoard.sqlite", to: 5000)])
        #expect(result.failures.contains { $0.hasPrefix("databaseSetAside") })
    }
}
