// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

/// The checks of immediate reads find the defects that they are meant to find.
@Suite(.timeLimit(.minutes(5))) struct RecordStoreImmediateConformanceTests {
    enum Defect: CaseIterable {
        case neverAnswers, findsNothing, changesThePayload, forgetsToExpire, isBehind, isNoUse, readsWhenClosed
    }

    private func failures(_ makeStore: RecordStoreConformance.MakeStore) async -> [String] {
        var failed: [String] = []
        for check in RecordStoreConformance.immediateChecks(seed: 1) {
            do { try await check.run(makeStore) } catch { failed.append(check.name) }
        }
        return failed
    }

    @Test(arguments: Defect.allCases)
    func defectIsNoticed(_ defect: Defect) async {
        #expect(await !failures { DefectiveStore(defect, $0) }.isEmpty)
    }

    @Test func storeThatReadsAtOnceAsItShouldPasses() async {
        #expect(await failures { DefectiveStore(nil, $0) }.isEmpty)
    }

    @Test func storeThatIsNotImmediateFailsEveryCheck() async {
        let failed = await failures { MinimalStore(configuration: $0) }
        #expect(failed.count == RecordStoreConformance.immediateChecks.count)
    }

    /// A memory store whose immediate reads are wrong.
    private final class DefectiveStore: ForwardingRecordStore, ImmediateRecordStore {
        let name = "defective"
        private let defect: Defect?
        private let base: MemoryStore
        var underlyingStore: any RecordStore { base }
        /// The record of each key that immediate reads have seen.
        private let seen = Shared<[RecordKey: Record]>([:])

        init(_ defect: Defect?, _ configuration: RecordStoreConformance.Configuration) {
            self.defect = defect
            base = MemoryStore(maximumCount: configuration.maximumCount, maximumBytes: configuration.maximumBytes, clock: configuration.clock)
        }

        func immediateRecord(forKey key: RecordKey) throws(StoreError) -> ImmediateReading {
            if defect == .neverAnswers { return .unavailable }
            if defect == .isNoUse || defect == .readsWhenClosed, let record = seen.value[key] { return .record(record) }
            guard case .record(var record) = try base.immediateRecord(forKey: key) else {
                guard defect == .forgetsToExpire || defect == .isBehind, let record = seen.value[key] else { return .absent }
                return .record(record)
            }
            if defect == .findsNothing { return .absent }
            if defect == .changesThePayload { record.payload = Data(record.payload.dropLast()) }
            let earlier = seen.update { seen in seen.updateValue(record, forKey: key) }
            if defect == .isBehind, let earlier { return .record(earlier) }
            return .record(record)
        }
    }
}
