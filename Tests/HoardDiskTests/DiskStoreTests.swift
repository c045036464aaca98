// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct DiskStoreTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private var fullRecord: Record {
        Record(
            payload: Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) }),
            created: Date(timeIntervalSinceReferenceDate: 812_345_678.123_456_7),
            freshUntil: ManualClock.start + 60.000_001,
            staleUntil: .date(ManualClock.start + 3600.1),
            lastAccess: Date(timeIntervalSinceReferenceDate: 812_345_679.3),
            tags: ["user:1", "", "zwei\0drei", "🙂"],
            validator: "W/\"abc\0def\"",
            contentType: "application/json; charset=utf-8",
            schemaFingerprint: 0xFEDC_BA98_7654_3210
        )
    }

    @Test func everyFieldComesBackExactly() async throws {
        let store = try workspace.open()
        try await store.insert(fullRecord, forKey: "key")
        #expect(try await store.record(forKey: "key") == fullRecord)
    }

    @Test func everyFieldComesBackExactlyAfterReopening() async throws {
        let store = try workspace.open()
        try await store.insert(fullRecord, forKey: "key")
        await store.close()
        #expect(try await workspace.open().record(forKey: "key") == fullRecord)
    }

    @Test func absentFieldsStayAbsentAndEmptyOnesEmpty() async throws {
        let store = try workspace.open()
        let absent = Record(payload: Data(), created: ManualClock.start)
        let empty = Record(payload: Data(), created: ManualClock.start, validator: "", contentType: "")
        try await store.insert(absent, forKey: "absent")
        try await store.insert(empty, forKey: "empty")
        #expect(try await store.record(forKey: "absent") == absent)
        #expect(try await store.record(forKey: "empty") == empty)
    }

    @Test func aRecordThatIsKeptForEverWhileItsFreshnessEndsKeepsBothDates() async throws {
        let store = try workspace.open()
        let record = Record(payload: Data([1]), created: ManualClock.start, freshUntil: ManualClock.start + 1, staleUntil: .forever)
        try await store.insert(record, forKey: "key")
        workspace.clock.advance(by: 1e9)
        let found = try #require(try await store.record(forKey: "key"))
        #expect(found.staleUntil == nil)
        #expect(found.freshUntil == ManualClock.start + 1)
    }

    @Test(arguments: [-0.0, 0.0, 1e15, -1e15, .infinity, 0.1, 123_456_789.123_456_78])
    func unusualDatesComeBack(interval: Double) async throws {
        let store = try workspace.open()
        let record = Record(
            payload: Data([1]),
            created: Date(timeIntervalSinceReferenceDate: interval),
            freshUntil: .distantFuture,
            lastAccess: Date(timeIntervalSinceReferenceDate: interval)
        )
        try await store.insert(record, forKey: "key")
        #expect(try await store.record(forKey: "key") == record)
    }

    @Test func aDateThatIsNotANumberIsTakenAsNow() async throws {
        let store = try workspace.open()
        let record = Record(payload: Data([1]), created: Date(timeIntervalSinceReferenceDate: .nan))
        try await store.insert(record, forKey: "key")
        #expect(try await store.record(forKey: "key")?.created == ManualClock.start)
    }

    @Test(arguments: [
        RecordKey(""), RecordKey("../../etc/passwd"), RecordKey("a\0b"), RecordKey("👩‍👩‍👧‍👦"), RecordKey(bytes: [0xFF, 0xFE, 0x00]),
        RecordKey("'; DROP TABLE records; --"), RecordKey(bytes: [UInt8](repeating: 7, count: RecordKey.maximumByteCount)),
    ])
    func anyKeyWorksAndNamesNoFile(key: RecordKey) async throws {
        let store = try workspace.open()
        let files = try workspace.files()
        try await store.insert(workspace.record("of the key"), forKey: key)
        #expect(try await store.record(forKey: key)?.payload == Data("of the key".utf8))
        #expect(try workspace.files() == files)
        #expect(try await store.entries().map(\.key) == [key])
        try await store.removeRecord(forKey: key)
        #expect(try await store.record(forKey: key) == nil)
    }

    @Test func keysAreComparedByteForByte() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record("one code point"), forKey: "\u{E9}")
        #expect(try await store.record(forKey: "e\u{301}") == nil)
        #expect(try await store.record(forKey: RecordKey(bytes: [0xC3, 0xA9])) != nil)
    }

    @Test func aKeyThatIsTooLongIsRefusedEverywhere() async throws {
        let store = try workspace.open()
        let key = RecordKey(bytes: [UInt8](repeating: 7, count: RecordKey.maximumByteCount + 1))
        let record = workspace.record()
        #expect(await store.code { store throws(StoreError) in try await store.insert(record, forKey: key) } == .keyTooLong)
        #expect(await store.code { store throws(StoreError) in _ = try await store.record(forKey: key) } == .keyTooLong)
        #expect(await store.code { store throws(StoreError) in _ = try await store.peekRecord(forKey: key) } == .keyTooLong)
        #expect(await store.code { store throws(StoreError) in try await store.removeRecord(forKey: key) } == .keyTooLong)
        let statistics = try await store.statistics()
        #expect(statistics.count == 0)
        #expect(statistics.misses == 0)
        #expect(statistics.insertions == 0)
    }

    @Test func aLargePayloadComesBack() async throws {
        let store = try workspace.open()
        var generator = SeededGenerator(seed: 1)
        let payload = Data((0..<400_000).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } })
        try await store.insert(Record(payload: payload, created: ManualClock.start), forKey: "large")
        #expect(try await store.record(forKey: "large")?.payload == payload)
    }

    @Test func anInsertionReplacesTheRecordWhole() async throws {
        let store = try workspace.open()
        try await store.insert(fullRecord, forKey: "key")
        let replacement = workspace.record("new")
        try await store.insert(replacement, forKey: "key")
        #expect(try await store.record(forKey: "key") == replacement)
        #expect(try await store.statistics().count == 1)
        #expect(try store.rowCount(of: "tags") == 0)
        #expect(try store.rowCount(of: "records") == 1)
    }

    @Test func removingARecordLeavesTheOthers() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record("a"), forKey: "a")
        try await store.insert(workspace.record("b"), forKey: "b")
        try await store.removeRecord(forKey: "a")
        try await store.removeRecord(forKey: "never there")
        #expect(try await store.record(forKey: "a") == nil)
        #expect(try await store.record(forKey: "b") != nil)
        #expect(try store.rowCount(of: "records") == 1)
    }

    @Test func removalByTagTakesExactlyTheRecordsThatHaveIt() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(tags: ["red", "round"]), forKey: "apple")
        try await store.insert(workspace.record(tags: ["round", "re"]), forKey: "ball")
        try await store.insert(workspace.record(tags: [""]), forKey: "empty tag")
        try await store.insert(workspace.record(), forKey: "untagged")
        try await store.removeRecords(taggedWith: "red")
        #expect(try await store.record(forKey: "apple") == nil)
        #expect(try await store.record(forKey: "ball") != nil)
        try await store.removeRecords(taggedWith: "")
        #expect(try await store.record(forKey: "empty tag") == nil)
        #expect(try await store.record(forKey: "untagged") != nil)
        try await store.removeRecords(taggedWith: "nobody has it")
        #expect(try store.rowCount(of: "tags") == 2)
        #expect(try await store.statistics().count == 2)
    }

    @Test func aReplacedRecordLosesItsOldTags() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record("old", tags: ["old"]), forKey: "key")
        try await store.insert(workspace.record("new", tags: ["new"]), forKey: "key")
        try await store.removeRecords(taggedWith: "old")
        #expect(try await store.record(forKey: "key")?.payload == Data("new".utf8))
    }

    @Test func removingAllLeavesNothingAndGivesTheSpaceBack() async throws {
        let store = try workspace.open()
        for number in 0..<50 {
            let payload = Data(repeating: 1, count: number.isMultiple(of: 2) ? 15_000 : 50_000)
            try await store.insert(Record(payload: payload, created: ManualClock.start, tags: ["t"]), forKey: RecordKey("\(number)"))
        }
        await store.close()
        let fullByteCount = try workspace.databaseBytes().count

        let reopened = try workspace.open()
        try await reopened.removeAll()
        let statistics = try await reopened.statistics()
        #expect(statistics.count == 0)
        #expect(statistics.bytes == 0)
        #expect(try reopened.rowCount(of: "recency") == 1, "one row remembers the greatest stamp")
        #expect(try reopened.rowCount(of: "tags") == 0)
        await reopened.close()
        #expect(fullByteCount > 350_000)
        #expect(try workspace.payloadFiles().isEmpty)
        #expect(try workspace.databaseBytes().count < 200_000)
    }

    @Test func keysWithEqualHashesReplaceEachOtherAndAreNeverConfused() async throws {
        let store = try DiskStore(configuration: workspace.configuration(), identifierOverride: RecordIdentifier(constant: 7))
        try await store.insert(workspace.record("a"), forKey: "a")
        #expect(try await store.record(forKey: "b") == nil)
        try await store.removeRecord(forKey: "b")
        #expect(try await store.record(forKey: "a") != nil)
        try await store.insert(workspace.record("b"), forKey: "b")
        #expect(try await store.record(forKey: "a") == nil)
        #expect(try await store.record(forKey: "b")?.payload == Data("b".utf8))
        #expect(try await store.statistics().count == 1)
        #expect(try store.countedTotals().count == 1)
    }

    @Test func statisticsCountWhatHappened() async throws {
        let store = try workspace.open(maximumCount: 2, maximumBytes: 5000)
        _ = try await store.record(forKey: "missing")
        try await store.insert(workspace.record("abc"), forKey: "a")
        try await store.insert(workspace.record("abc"), forKey: "a")
        _ = try await store.record(forKey: "a")
        _ = try await store.record(forKey: "a")
        try await store.removeRecord(forKey: "a")
        try await store.insert(workspace.record("abc", freshFor: 10), forKey: "b")
        workspace.clock.advance(by: 10)
        _ = try await store.record(forKey: "b")
        for key in ["c", "d", "e"] { try await store.insert(workspace.record("abc"), forKey: RecordKey(key)) }

        var expected = StoreStatistics()
        expected.count = 2
        // One byte of key, three bytes of payload, and 13 bytes of metadata.
        expected.bytes = 2 * (1 + 3 + 13 + DiskStore.bytesChargedPerRecord)
        expected.maximumCount = 2
        expected.maximumBytes = 5000
        expected.hits = 2
        expected.misses = 2
        expected.insertions = 6
        expected.evictions = 1
        expected.expirations = 1
        expected.removals = 1
        #expect(try await store.statistics() == expected)
    }

    @Test func aCancelledTaskStillCompletesItsWrite() async throws {
        let store = try workspace.open()
        let record = workspace.record()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.insert(record, forKey: "key")
            return Task.isCancelled
        }
        #expect(try await task.value)
        #expect(try await store.record(forKey: "key") == record)
    }

    @Test func manyTasksAtOnceNeverSeeAnotherKeysBytes() async throws {
        let store = try workspace.open(maximumCount: 20)
        let clock = workspace.clock
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<12 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    for _ in 0..<60 {
                        let number = Int.random(in: 0..<30, using: &generator)
                        let key = RecordKey("key \(number)")
                        let payload = Data(repeating: UInt8(number), count: 100 * number)
                        if Bool.random(using: &generator) {
                            try await store.insert(Record(payload: payload, created: clock.now()), forKey: key)
                        } else if let record = try await store.record(forKey: key) {
                            #expect(record.payload == payload)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let statistics = try await store.statistics()
        #expect(statistics.count == 20)
        #expect(statistics.corruptions == 0)
        #expect(try store.countedTotals() == RecordTotals(count: statistics.count, bytes: statistics.bytes))
    }

    @Test func theNameIsTheConfiguredOne() throws {
        #expect(try workspace.open().name == "disk")
        var configuration = workspace.configuration()
        configuration.name = "images"
        #expect(try DiskStore(configuration: configuration).name == "images")
    }
}
