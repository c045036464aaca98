// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension RecordStoreConformance {
    /// The checks that an `ImmediateRecordStore` must pass, with a new random seed. A failure states the seed.
    ///
    /// They are all checks of a `RecordStore`, with single records read at once, and a check that the store reads them so.
    public static var immediateChecks: [Check] { immediateChecks(seed: .random(in: .min ... .max)) }

    /// The same with the seed that a failure has stated.
    public static func immediateChecks(seed: UInt64) -> [Check] {
        checks(seed: seed).map(\.readingAtOnce) + [
            Check("a record that is there, and one that is not, are read without suspending") { subject in
                guard let store = subject.store as? any ImmediateRecordStore else { throw notImmediate }
                let record = subject.record(1)
                try await store.insert(record, forKey: "key")
                guard case .record(let read) = try store.immediateRecord(forKey: "key") else {
                    throw UnmetExpectation(message: "A record that has been written should be read at once.")
                }
                try expect(read.payload == record.payload, "The record should be read at once as it was written.")
                try expect(try store.immediateRecord(forKey: "absent") == .absent, "A key without a record should be found absent at once.")
            }
        ]
    }

    fileprivate static var notImmediate: UnmetExpectation { .init(message: "The store is no ImmediateRecordStore.") }
}

extension RecordStoreConformance.Check {
    /// The same check, of a store whose records are read at once, one by one.
    fileprivate var readingAtOnce: Self {
        replacing(name: "\(name), read at once") { subject in
            guard let store = subject.store as? any ImmediateRecordStore else { throw RecordStoreConformance.notImmediate }
            return RecordStoreConformance.Subject(store: ImmediateReader(base: store), time: subject.time)
        }
    }
}

/// Reads single records at once where the store can.
private struct ImmediateReader: ForwardingRecordStore {
    let base: any ImmediateRecordStore

    var underlyingStore: any RecordStore { base }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        let isKnownAbsent = base.isKnownAbsent(key)
        let record: Record? =
            switch try base.immediateRecord(forKey: key) {
            case .record(let record): record
            case .absent: nil
            case .unavailable: try await base.record(forKey: key)
            }
        // A store that is wrong in this loses records that the checks look for.
        return isKnownAbsent ? nil : record
    }
}
