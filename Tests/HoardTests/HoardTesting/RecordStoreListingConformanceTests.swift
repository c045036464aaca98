// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

/// The checks of listings find the defects that they are meant to find: each of these stores breaks one rule.
@Suite(.timeLimit(.minutes(5))) struct RecordStoreListingConformanceTests {
    enum Defect: CaseIterable {
        case listsNothing, listsTheFirstTwice, losesTheLast, ignoresTheLimit, neverEnds, losesTags, losesDates, losesThePartition, ignoresStaleMarks,
            listsTheDead
        case countsReads, takesAnyCursor, staysOpen, peeksNothing, peeksTheDead, peekLosesThePayload, listsByPosition
    }

    /// A correct store with a defect around it.
    private final class DefectiveStore: ListingRecordStore {
        let defect: Defect
        let base: MemoryStore
        let clock: any WallClock
        /// A store with every record that was ever written.
        let dead: MemoryStore

        init(_ defect: Defect, _ configuration: RecordStoreConformance.Configuration) {
            self.defect = defect
            clock = configuration.clock
            base = MemoryStore(maximumCount: configuration.maximumCount, clock: configuration.clock)
            dead = MemoryStore(clock: ManualTicker())
        }

        var name: String { base.name }
        func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }

        func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
            try await base.insert(record, forKey: key)
            try await dead.insert(record, forKey: key)
        }

        func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
        func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
        func removePartition(_ partition: String) async throws(StoreError) { try await base.removePartition(partition) }
        func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) { try await base.markRecordStale(forKey: key, at: date) }
        func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
            try await base.markRecordsStale(taggedWith: tags, at: date)
        }
        func removeAll() async throws(StoreError) { try await base.removeAll() }
        func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
        func close() async { if defect != .staysOpen { await base.close() } }

        func recordPage(after cursor: RecordCursor?, limit: Int) async throws(StoreError) -> RecordPage {
            if defect == .listsTheDead || defect == .ignoresStaleMarks { return try await dead.recordPage(after: cursor, limit: limit) }
            if defect == .takesAnyCursor, let cursor, Int(cursor.text) == nil { return RecordPage(records: [], next: nil) }
            if defect == .listsByPosition { return try await pageByPosition(after: cursor, limit: max(1, limit)) }
            var page = try await base.recordPage(after: cursor, limit: defect == .ignoresTheLimit ? 1_000 : limit)
            switch defect {
            case .listsNothing: page.records = []
            case .listsTheFirstTwice: if cursor == nil, let first = page.records.first { page.records.append(first) }
            case .losesTheLast: if page.next == nil { page.records = page.records.dropLast() }
            case .neverEnds: page.next = page.next ?? cursor
            case .losesTags, .losesDates, .losesThePartition: page.records = page.records.map { summary($0) }
            case .countsReads: for record in page.records { _ = try await base.record(forKey: record.key) }
            default: break
            }
            return page
        }

        /// The page after a cursor that counts the listed records. Such a cursor is wrong when some of them go.
        private func pageByPosition(after cursor: RecordCursor?, limit: Int) async throws(StoreError) -> RecordPage {
            guard let start = Int(cursor?.text ?? "0") else { throw .foreignCursor(name) }
            let all = try await base.recordPage(after: nil, limit: 10_000).records
            let page = Array(all.dropFirst(start).prefix(limit))
            return RecordPage(records: page, next: start + limit < all.count ? RecordCursor(text: String(start + limit)) : nil)
        }

        private func summary(_ one: RecordSummary) -> RecordSummary {
            RecordSummary(
                key: one.key,
                payloadByteCount: one.payloadByteCount,
                created: one.created,
                freshUntil: defect == .losesDates ? nil : one.freshUntil,
                staleUntil: one.staleUntil,
                tags: defect == .losesTags ? [] : one.tags,
                partition: defect == .losesThePartition ? nil : one.partition
            )
        }

        func peekRecord(forKey key: RecordKey) async throws(StoreError) -> Record? {
            switch defect {
            case .peeksNothing:
                _ = try await base.statistics()
                return nil
            case .peeksTheDead: return try await dead.peekRecord(forKey: key)
            case .peekLosesThePayload:
                var record = try await base.peekRecord(forKey: key)
                record?.payload = Data()
                return record
            default: return try await base.peekRecord(forKey: key)
            }
        }
    }

    @Test(arguments: Defect.allCases)
    func defectIsNoticed(_ defect: Defect) async {
        var messages: [String] = []
        for check in RecordStoreConformance.listingChecks(seed: 1) {
            do {
                try await check.run { DefectiveStore(defect, $0) }
            } catch {
                messages.append((error as? RecordStoreConformanceFailure)?.message ?? "")
            }
        }
        #expect(!messages.isEmpty, "\(defect) went unnoticed")
        #expect(messages.allSatisfy { $0.hasSuffix(".") })
    }

    @Test func modelStatesItsSeed() async throws {
        let check = try #require(RecordStoreConformance.listingChecks(seed: 77).first { $0.name.hasPrefix("random") })
        do {
            try await check.run { DefectiveStore(.listsByPosition, $0) }
            Issue.record("the defect went unnoticed")
        } catch {
            #expect((error as? RecordStoreConformanceFailure)?.message.contains("seed 77") == true)
        }
    }
    @Test func anErrorOfTheStoreInARandomCheckStatesTheSeed() async throws {
        let checks = RecordStoreConformance.checks(seed: 77) + RecordStoreConformance.evictionChecks(seed: 77)
        let random = (checks + RecordStoreConformance.listingChecks(seed: 77)).filter { $0.name.hasPrefix("random") }
        #expect(random.count == 3)
        for check in random {
            do {
                try await check.run { configuration in
                    let store = FaultyStore(MemoryStore(clock: configuration.clock))
                    store.setScript { $0.operation == .insert && $0.number == 5 ? .fail(StoreError(.unavailable, "Away.")) : .pass }
                    return store
                }
                Issue.record("the error went unnoticed")
            } catch let failure as RecordStoreConformanceFailure {
                #expect(failure.message.contains("seed 77"))
                #expect((failure.underlyingError as? StoreError)?.code == .unavailable)
            }
        }
    }

    @Test func theRecordsOfARandomListingAreWrittenInAnOrderThatRepeats() async throws {
        let check = try #require(RecordStoreConformance.listingChecks(seed: 77).first { $0.name.hasPrefix("random") })
        let written = Shared<[RecordKey]>([])
        try await check.run { configuration in
            let store = FaultyStore(MemoryStore(clock: configuration.clock))
            store.setScript { call in
                if call.operation == .insert { written.update { $0 += call.keys } }
                return .pass
            }
            return store
        }
        let lasting = (0..<40).map { RecordKey("lasting \($0)") }
        #expect(written.value.filter(lasting.contains) == lasting)
    }
}
