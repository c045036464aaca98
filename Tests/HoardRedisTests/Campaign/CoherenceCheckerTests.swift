// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardRedisTorture

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct CoherenceCheckerTests {
    private static let millisecond = 1_000_000
    private var checker = CoherenceChecker(windows: .init(normal: 10 * millisecond, disturbed: 100 * millisecond, settling: 50 * millisecond))

    /// Worker 0 invalidates key 1 before version 5: the call returns at 100 ms and is acknowledged then. Worker 1 reads.
    private func verdict(
        read version: Int,
        at milliseconds: Int,
        _ kind: CampaignEvent.ReadKind = .near,
        acknowledged: Int? = 100,
        reader: Int = 1,
        pauses: [(start: Int, end: Int)] = []
    ) -> CoherenceChecker.Verdict {
        var events: [CampaignEvent] = [.returned(key: 1, version: 5, time: 100 * Self.millisecond)]
        if let acknowledged { events.append(.acknowledged(key: 1, version: 5, time: acknowledged * Self.millisecond)) }
        let read = CampaignEvent.read(key: 1, version: version, time: milliseconds * Self.millisecond, kind)
        if reader == 0 { return checker.judge([.init(worker: 0, events: events + [read])]) }
        return checker.judge([.init(worker: 0, events: events), .init(worker: reader, events: [read], pauses: pauses)])
    }

    @Test(arguments: [(4, 111, 1), (4, 110, 0), (4, 101, 0), (4, 99, 0), (5, 500, 0), (6, 500, 0), (0, 500, 1)])
    func memoryMustHaveHeardAfterTheWindow(version: Int, milliseconds: Int, violations: Int) {
        #expect(verdict(read: version, at: milliseconds).violationCount == violations)
    }

    @Test(arguments: [(4, 101, 1), (4, 100, 0), (4, 99, 0), (5, 101, 0)])
    func aReadOfTheStoreMustNotFindWhatWasInvalidatedBefore(version: Int, milliseconds: Int, violations: Int) {
        #expect(verdict(read: version, at: milliseconds, .direct).violationCount == violations)
    }

    @Test func aReadOfAnotherKeySaysNothing() {
        let events: [CampaignEvent] = [
            .acknowledged(key: 1, version: 5, time: 100 * Self.millisecond), .read(key: 2, version: 0, time: 900 * Self.millisecond, .near),
        ]
        #expect(checker.judge([.init(worker: 0, events: events)]).violationCount == 0)
    }

    @Test func whatWasNeverAcknowledgedBindsOnlyItsOwnProcess() {
        #expect(verdict(read: 4, at: 900, acknowledged: nil).violationCount == 0)
        #expect(verdict(read: 4, at: 900, .direct, acknowledged: nil).violationCount == 0)
        #expect(verdict(read: 4, at: 101, acknowledged: nil, reader: 0).violationCount == 1)
        #expect(verdict(read: 4, at: 100, acknowledged: nil, reader: 0).violationCount == 0)
    }

    @Test func whatIsMadeGoodLaterCountsFromThen() {
        #expect(verdict(read: 4, at: 305, acknowledged: 300).violationCount == 0)
        #expect(verdict(read: 4, at: 311, acknowledged: 300).violationCount == 1)
        #expect(verdict(read: 4, at: 311, acknowledged: 300).deferredCount == 1)
        #expect(verdict(read: 5, at: 311, acknowledged: 110).deferredCount == 0)
    }

    @Test func nearAFaultTheLongerWindowHolds() {
        var checker = checker
        checker.disturbances = [.init(worker: nil, start: 0, end: 60 * Self.millisecond)]
        let events: [CampaignEvent] = [.acknowledged(key: 1, version: 5, time: 100 * Self.millisecond)]
        func count(_ milliseconds: Int, _ kind: CampaignEvent.ReadKind = .near) -> Int {
            let read = CampaignEvent.read(key: 1, version: 4, time: milliseconds * Self.millisecond, kind)
            return checker.judge([.init(worker: 0, events: events), .init(worker: 1, events: [read])]).violationCount
        }
        // The connection settles until 110 ms.
        #expect(count(150) == 0)
        #expect(count(200) == 0)
        #expect(count(201) == 1)
        #expect(count(101, .direct) == 1)
        checker.disturbances = [.init(worker: 1, start: 0, end: 60 * Self.millisecond)]
        #expect(count(150) == 0)
        checker.disturbances = [.init(worker: 2, start: 0, end: 60 * Self.millisecond)]
        #expect(count(150) == 1)
        checker.disturbances = [.init(worker: 1, start: 0, end: 40 * Self.millisecond)]
        #expect(count(150) == 1)
        checker.disturbances = [.init(worker: 1, start: 140 * Self.millisecond, end: 900 * Self.millisecond)]
        #expect(count(150) == 0)
        #expect(count(130) == 1)
    }

    @Test(arguments: [(0, 500, 1), (20, 90, 1), (20, 120, 0), (120, 500, 0), (160, 500, 1), (20, 500, 0)])
    func withoutAConnectionTheLongerWindowHolds(from lost: Int, to found: Int, violations: Int) {
        let reader: [CampaignEvent] = [
            .connection(stands: false, time: 0), .connection(stands: true, time: 10 * Self.millisecond),
            // From 0 to 500 stands for a connection that is never lost.
            .connection(stands: lost == 0, time: (lost == 0 ? 10 : lost) * Self.millisecond),
            .connection(stands: true, time: found * Self.millisecond),
            .read(key: 1, version: 4, time: 150 * Self.millisecond, .near),
        ]
        let events: [CampaignEvent] = [.acknowledged(key: 1, version: 5, time: 100 * Self.millisecond)]
        #expect(checker.judge([.init(worker: 0, events: events), .init(worker: 1, events: reader)]).violationCount == violations)
    }

    @Test func aStoppedProcessCountsFromTheMomentItWentOn() {
        let pause = [(start: 90 * Self.millisecond, end: 400 * Self.millisecond)]
        #expect(verdict(read: 4, at: 405, pauses: pause).violationCount == 0)
        #expect(verdict(read: 4, at: 411, pauses: pause).violationCount == 1)
        #expect(verdict(read: 4, at: 405, .direct, pauses: pause).violationCount == 1)
        #expect(verdict(read: 4, at: 150, pauses: [(start: 200 * Self.millisecond, end: 300 * Self.millisecond)]).violationCount == 1)
        #expect(verdict(read: 4, at: 150, pauses: [(start: 20 * Self.millisecond, end: 90 * Self.millisecond)]).violationCount == 1)
    }

    @Test func delaysAreCountedFromTheEarliestInvalidationThatWasMissed() {
        let events: [CampaignEvent] = [
            .acknowledged(key: 1, version: 7, time: 100 * Self.millisecond), .acknowledged(key: 1, version: 6, time: 105 * Self.millisecond),
            .acknowledged(key: 1, version: 8, time: 95 * Self.millisecond), .read(key: 1, version: 6, time: 103 * Self.millisecond, .near),
        ]
        let verdict = checker.judge([.init(worker: 0, events: events)])
        #expect(verdict.violationCount == 0)
        #expect(verdict.delays == [8])
        #expect(verdict.invalidationCount == 3)
    }

    @Test func whatAWorkerCallsWrongIsWrong() {
        let verdict = checker.judge([.init(worker: 3, events: [.wrong("no value"), .counted([.near: 4, .direct: 2]), .counted([.near: 1])])])
        #expect(verdict.violations == ["worker 3: no value"])
        #expect(verdict.readCounts == [.near: 5, .direct: 2])
    }

    /// Random histories, judged a second time by comparing every read with every invalidation.
    @Test(arguments: 1...30) func theQuickSearchFindsWhatAComparisonOfAllWithAllFinds(seed: Int) {
        var choices = SeededChoices(seed: UInt64(seed))
        var events: [CampaignEvent] = []
        for _ in 0..<200 {
            let (key, version, time) = (choices.number(below: 3), choices.number(below: 30), choices.number(below: 200) * Self.millisecond)
            switch choices.number(below: 3) {
            case 0: events.append(.acknowledged(key: key, version: version, time: time))
            case 1: events.append(.read(key: key, version: version, time: time, .near))
            default: events.append(.read(key: key, version: version, time: time, .direct))
            }
        }
        var expected = 0
        for case .read(let key, let version, let time, let kind, _) in events {
            let window = kind == .direct ? 0 : 10 * Self.millisecond
            let isWrong = events.contains { event in
                guard case .acknowledged(key, let newer, let acknowledged) = event else { return false }
                return newer > version && time - acknowledged > window
            }
            if isWrong { expected += 1 }
        }
        #expect(checker.judge([.init(worker: 0, events: events)]).violationCount == expected, "seed \(seed)")
        #expect(expected > 0, "seed \(seed)")
    }
}

@Suite struct CampaignEventTests {
    @Test(arguments: [
        CampaignEvent.returned(key: 1, version: 2, time: 3), .acknowledged(key: 4, version: 5, time: 6), .read(key: 7, version: 8, time: 9, .near),
        .read(key: 7, version: 8, time: 9, .direct, detail: "from redis after 5 ns"), .counted([.near: 3, .direct: 4]),
        .connection(stands: true, time: 5), .connection(stands: false, time: 6),
        .wrong("key 3 has a value that nobody gave it"),
    ])
    func anEventIsReadAsItWasNoted(event: CampaignEvent) {
        #expect(CampaignEvent(line: event.line) == event)
    }

    @Test(arguments: ["", "D 1 2", "R 1 2 3", "R 1 2 3 far", "Z 1 2 3", "A 1 x 3", "C 1"])
    func halfALineIsNoEvent(line: String) {
        #expect(CampaignEvent(line: line) == nil)
    }

    @Test func aLogEndsAtItsLastCompleteLine() throws {
        let directory = try makeRunDirectory("log")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = try CampaignLog(directory + "/log")
        log.note(.acknowledged(key: 1, version: 2, time: 3), .wrong("a"))
        #expect(try CampaignLog.events(in: directory + "/log") == [.acknowledged(key: 1, version: 2, time: 3), .wrong("a")])
    }
}

@Suite struct CampaignKeysTests {
    @Test func aValueIsOneOfItsKeyAndVersionOnly() {
        for key in 0..<CampaignKeys.count {
            let value = CampaignKeys.value(key: key, version: 17)
            #expect(CampaignKeys.version(in: value, key: key) == 17)
            #expect(CampaignKeys.version(in: value, key: key + 1) == nil)
            #expect(CampaignKeys.version(in: value + "x", key: key) == nil)
            #expect(CampaignKeys.key(named: CampaignKeys.name(key)) == key)
        }
        #expect(CampaignKeys.version(in: "", key: 0) == nil)
        #expect(CampaignKeys.key(named: "key-64") == nil)
    }

    @Test func tagsAndPartitionsAreOfLoadedKeysOnly() {
        let tagged = (0..<CampaignKeys.tagCount).flatMap { CampaignKeys.keys(taggedWith: $0) }
        #expect(tagged.sorted() == Array(CampaignKeys.loaded))
        let partitioned = (0..<CampaignKeys.partitionCount).flatMap { CampaignKeys.keys(inPartition: $0) }
        #expect(Set(partitioned).isSubset(of: Set(CampaignKeys.loaded)))
        #expect(!partitioned.isEmpty)
    }
}
