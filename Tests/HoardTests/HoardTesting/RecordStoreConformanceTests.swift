// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

/// The conformance suite finds the defects that it is meant to find: each of these stores breaks one rule.
@Suite(.timeLimit(.minutes(5))) struct RecordStoreConformanceTests {
    /// A defect of a store. A check must notice it.
    enum Defect: CaseIterable {
        case losesTags, losesValidator, losesContentType, losesFingerprint, losesCreated, losesFreshUntil, extendsFreshness
        case flipsABit, truncatesLargePayloads, throwsAtAMiss, mergesTags, keepsOldRecord
        case normalizesKeys, truncatesKeysAtNUL, ignoresCase, acceptsLongKeys, readsLongKeysAsMisses
        case expiresLate, expiresWhenStale, neverExpires, expiresEarly
        case ignoresCountLimit, ignoresBytesLimit, evictsAtRandom, refusesSilently, keepsOldRecordAtRefusal, evictsAtRefusal
        case removesNothing, removesAllAtARemoval, removesNoTags, removesTagPrefixes, removesNotAll
        case countsNoHits, countsNoMisses, countsReadsOfExpiredRecordsAsHits, countsReplacementsAsEvictions, staysOpen
        case lastAccessStandsStill, lastAccessInTheFuture, changesItsName
        case losesStaleWhileRevalidate, losesStaleIfError, losesLoadDuration, losesZeroLoadDuration, losesNegativity, removesOneTagOfSeveral
        case readOfManyStopsAtAMiss, readOfManyLosesTheLast, readOfManyCountsDuplicates
        case writeOfManyThrowsAtARefusal, writeOfManyKeepsOldAtRefusal, writeOfManyKeepsOld, writeOfManyTruncatesKeys
        case removalOfManyStopsAtAMiss, removalOfNoneRemovesAll
        case marksNoRecord, markRemovesTheRecord, markMakesARecord, markExtendsFreshness, markEndsRetention, markExtendsRetention
        case markLosesTheValidator, markIsAtTheClock
        case marksNoTags, marksOneTagOfSeveral, markByTagMarksAll, markByTagRemovesAll, marksConcernLaterRecords, marksNotEverything
        case marksOnlyTheTagged
        case removesNoPartition, removesPartitionAndTag, removesPartitionInAnyCase, removesSomeOfAPartition, losesPartition,
            forgetsLaterWritesOfAPartition

        /// A part of the name of the check that must notice the defect.
        var noticedBy: String {
            switch self {
            case .losesTags, .losesValidator, .losesContentType, .losesFingerprint, .losesCreated, .losesFreshUntil: "every field"
            case .flipsABit, .truncatesLargePayloads: "one mebibyte"
            case .extendsFreshness: "reading changes neither"
            case .throwsAtAMiss: "a miss is nil"
            case .mergesTags, .keepsOldRecord: "replaces the record whole"
            case .normalizesKeys, .truncatesKeysAtNUL, .ignoresCase: "byte for byte"
            case .acceptsLongKeys, .readsLongKeysAsMisses: "too long"
            case .expiresLate, .neverExpires, .expiresEarly: "the very moment"
            case .expiresWhenStale: "stale but has not expired"
            case .ignoresCountLimit: "limit by count"
            case .ignoresBytesLimit: "limit by bytes"
            case .evictsAtRandom: "least recently used"
            case .refusesSilently, .keepsOldRecordAtRefusal, .evictsAtRefusal: "never fit"
            case .removesNothing, .removesAllAtARemoval: "removal removes the record"
            case .removesNoTags, .removesTagPrefixes: "removal by tag"
            case .removesNotAll: "removing everything"
            case .countsNoHits, .countsNoMisses, .countsReadsOfExpiredRecordsAsHits, .countsReplacementsAsEvictions: "statistics count"
            case .staysOpen: "closed store"
            case .lastAccessStandsStill, .lastAccessInTheFuture: "last access"
            case .changesItsName: "name is short"
            case .losesStaleWhileRevalidate, .losesStaleIfError, .losesLoadDuration, .losesZeroLoadDuration, .losesNegativity: "its durations"
            case .removesOneTagOfSeveral: "removal by several tags"
            case .readOfManyStopsAtAMiss, .readOfManyLosesTheLast, .readOfManyCountsDuplicates: "read of several records returns"
            case .writeOfManyThrowsAtARefusal, .writeOfManyKeepsOldAtRefusal: "of the same write away"
            case .writeOfManyKeepsOld: "write of several records replaces"
            case .writeOfManyTruncatesKeys: "one key that is too long"
            case .removalOfManyStopsAtAMiss, .removalOfNoneRemovesAll: "removal of several records"
            case .marksNoRecord, .markRemovesTheRecord, .markEndsRetention, .markExtendsRetention, .markLosesTheValidator, .marksNoTags:
                "kept for as long as before"
            case .markMakesARecord: "that record only"
            case .markExtendsFreshness: "extends nothing"
            case .marksOneTagOfSeveral, .markByTagMarksAll, .markByTagRemovesAll: "stale mark by tags"
            case .markIsAtTheClock, .marksConcernLaterRecords: "nothing that is written later"
            case .marksNotEverything, .marksOnlyTheTagged: "concerns every record"
            case .losesPartition: "every field"
            case .removesNoPartition, .removesPartitionAndTag, .removesPartitionInAnyCase, .removesSomeOfAPartition: "removal by partition removes"
            case .forgetsLaterWritesOfAPartition: "what a key has now"
            }
        }
    }

    @Test(arguments: Defect.allCases)
    func defectIsNoticed(_ defect: Defect) async throws {
        let check = try #require(RecordStoreConformance.checks(seed: 1).first { $0.name.contains(defect.noticedBy) })
        let thrown = await error {
            try await check.run { DefectiveStore(defect, configuration: $0) }
        }
        let failure = try #require(thrown as? RecordStoreConformanceFailure, "\(defect) went unnoticed by “\(check)”")
        #expect(failure.check == check.name)
        #expect(failure.message.hasSuffix("."))
        #expect("\(failure)".hasPrefix(check.name))
    }

    @Test(arguments: [
        Defect.losesTags, .removesNoTags, .neverExpires, .removesNothing, .removesNotAll, .keepsOldRecord, .losesNegativity, .losesStaleIfError,
        .readOfManyStopsAtAMiss, .writeOfManyKeepsOld, .removalOfManyStopsAtAMiss, .marksNoRecord, .markRemovesTheRecord, .marksNoTags,
        .marksConcernLaterRecords, .marksNotEverything, .removesNoPartition, .losesPartition,
    ])
    func modelCheckNoticesTooAndStatesItsSeed(_ defect: Defect) async throws {
        let check = try #require(RecordStoreConformance.checks(seed: 77).first { $0.name.hasPrefix("random") })
        let thrown = await error { try await check.run { DefectiveStore(defect, configuration: $0) } }
        #expect((thrown as? RecordStoreConformanceFailure)?.message.contains("seed 77") == true)
    }

    /// The suite allows the protocol's default implementations: removing by tag where other stores mark
    /// stale, and one call for each record.
    @Test(arguments: RecordStoreConformance.checks)
    func storeWithoutImplementationsOfItsOwnPasses(_ check: RecordStoreConformance.Check) async throws {
        try await check.run { MinimalStore(configuration: $0) }
    }

    @Test(arguments: 0..<10)
    func storeWithoutImplementationsOfItsOwnPassesTheModel(seed: UInt64) async throws {
        let check = try #require(RecordStoreConformance.checks(seed: seed).first { $0.name.hasPrefix("random") })
        try await check.run { MinimalStore(configuration: $0) }
    }

    @Test func mixedRecordsAreNoticed() async throws {
        let check = try #require(RecordStoreConformance.checks.first { $0.name.hasPrefix("many tasks") })
        let thrown = await error { try await check.run { DefectiveStore(.flipsABit, configuration: $0) } }
        #expect((thrown as? RecordStoreConformanceFailure)?.message.contains("mixture") == true)
    }

    @Test func unexpectedErrorIsAFailureThatCarriesIt() async throws {
        let check = try #require(RecordStoreConformance.checks.first)
        let thrown = await error {
            try await check.run { configuration in
                let store = FaultyStore(MemoryStore(clock: configuration.clock))
                store.fail(with: .corrupt)
                return store
            }
        }
        let failure = try #require(thrown as? RecordStoreConformanceFailure)
        #expect((failure.underlyingError as? StoreError)?.code == .corrupt)
    }

    @Test func storeIsClosedWhetherTheCheckPassesOrNot() async throws {
        for shouldFail in [false, true] {
            let closed = Counter()
            let check = try #require(RecordStoreConformance.checks.first)
            _ = await error {
                try await check.run { configuration in
                    let store = FaultyStore(MemoryStore(clock: configuration.clock))
                    if shouldFail { store.fail() }
                    return ClosingObserver(store) { _ = closed.increment() }
                }
            }
            #expect(closed.value == 1)
        }
    }

    @Test func errorOfMakeStoreIsThrownAsItIs() async throws {
        let check = try #require(RecordStoreConformance.checks.first)
        #expect(await error { try await check.run { _ in throw TestError(number: 3) } } as? TestError == TestError(number: 3))
    }

    @Test func namesAreUnique() {
        let names = RecordStoreConformance.checks.map(\.name)
        #expect(names.count >= 44)
        #expect(Set(names).count == names.count)
        #expect(RecordStoreConformance.checks.map(\.id) == names)
    }
}
