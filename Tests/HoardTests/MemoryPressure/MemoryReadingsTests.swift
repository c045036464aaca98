// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Testing

@Suite struct MemoryReadingsTests {
    typealias Stall = MemoryReadings.Stall
    typealias Usage = MemoryReadings.Usage

    private func level(
        _ readings: MemoryReadings,
        _ configuration: SystemMemoryPressure.Configuration = .init()
    ) -> MemoryPressure {
        readings.level(configuration)
    }

    @Test func nothingReadIsNormal() {
        #expect(MemoryReadings().isEmpty)
        #expect(level(MemoryReadings()) == .normal)
    }

    @Test func anyReadingCounts() {
        #expect(!MemoryReadings(systemStall: Stall(some: 0)).isEmpty)
        #expect(!MemoryReadings(groupStall: Stall(full: 0)).isEmpty)
        #expect(!MemoryReadings(usages: [Usage(workingSetBytes: 0, limitBytes: 1)]).isEmpty)
    }

    @Test(arguments: [
        (0.0, 0.0, MemoryPressure.normal), (0.0999, 0, .normal), (0.1, 0, .warning), (0.1001, 0.0999, .warning), (1, 0.0999, .warning),
        (0.1, 0.1, .critical), (1, 1, .critical), (0, 0.1, .critical),
    ])
    func stallsBeginLevelsAtTheirThresholds(some: Double, full: Double, expected: MemoryPressure) {
        #expect(level(MemoryReadings(systemStall: Stall(some: some, full: full))) == expected)
        #expect(level(MemoryReadings(groupStall: Stall(some: some, full: full))) == expected)
    }

    @Test func halfOfAStallIsEnough() {
        #expect(level(MemoryReadings(systemStall: Stall(some: 0.5))) == .warning)
        #expect(level(MemoryReadings(systemStall: Stall(full: 0.5))) == .critical)
        #expect(level(MemoryReadings(systemStall: Stall(full: 0.05))) == .normal)
    }

    @Test(arguments: [
        (0 as UInt64, MemoryPressure.normal), (899, .normal), (900, .warning), (901, .warning), (969, .warning), (970, .critical), (1000, .critical),
        (5000, .critical),
    ])
    func usageBeginsLevelsAtItsThresholds(bytes: UInt64, expected: MemoryPressure) {
        #expect(level(MemoryReadings(usages: [Usage(workingSetBytes: bytes, limitBytes: 1000)])) == expected)
    }

    @Test func fullestGroupDecides() {
        let usages = [Usage(workingSetBytes: 10, limitBytes: 100), Usage(workingSetBytes: 95, limitBytes: 100)]
        #expect(level(MemoryReadings(usages: usages)) == .warning)
        #expect(level(MemoryReadings(usages: usages.reversed())) == .warning)
    }

    @Test func pageCacheThatNobodyUsesIsNoUsage() {
        #expect(Usage(currentBytes: 1000, inactiveFileBytes: 400, limitBytes: 1000).workingSetBytes == 600)
        #expect(Usage(currentBytes: 1000, inactiveFileBytes: 0, limitBytes: 1000).share == 1)
        #expect(Usage(currentBytes: 1000, inactiveFileBytes: 1001, limitBytes: 1000).workingSetBytes == 0)
        #expect(Usage(currentBytes: 0, inactiveFileBytes: .max, limitBytes: .max).share == 0)
        #expect(Usage(currentBytes: .max, inactiveFileBytes: 0, limitBytes: .max).share == 1)
    }

    @Test func limitOfNothingIsAlwaysReached() {
        #expect(level(MemoryReadings(usages: [Usage(workingSetBytes: 0, limitBytes: 0)])) == .critical)
    }

    @Test func processWithALimitDoesNotMindTheStallsOfOthers() {
        let usages = [Usage(workingSetBytes: 1, limitBytes: 100)]
        let busy = Stall(some: 1, full: 1)
        #expect(level(MemoryReadings(systemStall: busy, groupStall: Stall(some: 0, full: 0), usages: usages)) == .normal)
        #expect(level(MemoryReadings(systemStall: Stall(some: 0, full: 0), groupStall: busy, usages: usages)) == .critical)
        #expect(level(MemoryReadings(systemStall: busy, usages: usages)) == .critical, "its own stalls are not known")
    }

    @Test func processWithoutALimitMakesRoomForOthers() {
        let idle = Stall(some: 0, full: 0)
        let busy = Stall(some: 1, full: 1)
        #expect(level(MemoryReadings(systemStall: busy, groupStall: idle)) == .critical)
        #expect(level(MemoryReadings(systemStall: idle, groupStall: busy)) == .critical)
    }

    @Test func worseOfStallAndUsageDecides() {
        let warning = Stall(some: 0.2, full: 0)
        #expect(level(MemoryReadings(groupStall: warning, usages: [Usage(workingSetBytes: 99, limitBytes: 100)])) == .critical)
        #expect(level(MemoryReadings(groupStall: warning, usages: [Usage(workingSetBytes: 1, limitBytes: 100)])) == .warning)
    }

    @Test func thresholdsCanBeSet() {
        let configuration = SystemMemoryPressure.Configuration(
            warningStallShare: 0.2,
            criticalStallShare: 0.3,
            warningUsageShare: 0.4,
            criticalUsageShare: 0.5
        )
        #expect(level(MemoryReadings(systemStall: Stall(some: 0.19, full: 0.19)), configuration) == .normal)
        #expect(level(MemoryReadings(systemStall: Stall(some: 0.2, full: 0.29)), configuration) == .warning)
        #expect(level(MemoryReadings(systemStall: Stall(some: 0.3, full: 0.3)), configuration) == .critical)
        #expect(level(MemoryReadings(usages: [Usage(workingSetBytes: 39, limitBytes: 100)]), configuration) == .normal)
        #expect(level(MemoryReadings(usages: [Usage(workingSetBytes: 40, limitBytes: 100)]), configuration) == .warning)
        #expect(level(MemoryReadings(usages: [Usage(workingSetBytes: 50, limitBytes: 100)]), configuration) == .critical)
    }

    @Test func shareAboveOneSwitchesAThresholdOff() {
        let configuration = SystemMemoryPressure.Configuration(
            warningStallShare: 2,
            criticalStallShare: 2,
            warningUsageShare: 2,
            criticalUsageShare: 2
        )
        let readings = MemoryReadings(systemStall: Stall(some: 1, full: 1), usages: [Usage(workingSetBytes: 100, limitBytes: 100)])
        #expect(level(readings, configuration) == .normal)
    }
}
