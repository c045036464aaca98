// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A change that is to be made to some keys of a store.
final class StoreChange: Sendable {
    enum Kind: Sendable {
        case insert([RecordKey: Record])
        case remove
        /// Stores may do this by reading the record and writing it again.
        case markStale(at: Date)
    }

    let kind: Kind
    /// Its place among all changes of the store, by when they were asked for.
    let number: UInt64
    let keys: [RecordKey]
    /// The tick at which the caller stops waiting, and from which on nothing of this change is begun.
    var deadline: Int64? { deadlineTick.withLock { $0 } }
    /// Whether it makes good removals that are in the journal already.
    let isReplay: Bool
    /// Whether everything was done in time.
    let end = FirstAnswer<Bool>()

    /// The guards of records that are written only if no other instance has changed them.
    let guards: [RecordKey: StoreTier.Guard]

    private let verdicts: [RecordKey: @Sendable () -> StoreTier.Verdict]
    private let deadlineTick: Mutex<Int64?>
    private let progress: Mutex<(remaining: Int, hasFailed: Bool)>

    init(
        _ kind: Kind,
        keys: [RecordKey],
        verdicts: [RecordKey: @Sendable () -> StoreTier.Verdict] = [:],
        guards: [RecordKey: StoreTier.Guard] = [:],
        number: UInt64,
        deadline: Int64?,
        isReplay: Bool = false
    ) {
        self.kind = kind
        self.keys = keys
        self.verdicts = verdicts
        self.guards = guards
        self.number = number
        deadlineTick = Mutex(deadline)
        self.isReplay = isReplay
        progress = Mutex((keys.count, false))
    }

    func postponeDeadline(to tick: Int64) {
        deadlineTick.withLock { $0 = tick }
    }

    /// Whether a record may be in the store afterwards that was not there before.
    var mayWrite: Bool {
        if case .remove = kind { false } else { true }
    }

    var operation: CacheStoreCall.Operation {
        if case .insert = kind { .write } else { .remove }
    }

    /// Whether it may write a record that has one of the tags.
    func mayWrite(_ key: RecordKey, taggedWithAny tags: Set<String>) -> Bool {
        switch kind {
        case .insert(let records): records[key].map { !$0.tags.isDisjoint(with: tags) } ?? false
        case .remove: false
        // Which tags the record has that is written again is not known.
        case .markStale: true
        }
    }

    /// Whether it may write a record of a partition.
    func mayWrite(_ key: RecordKey, inPartition partition: String) -> Bool {
        switch kind {
        case .insert(let records): records[key]?.partition.map { ExactText($0) == ExactText(partition) } ?? false
        case .remove: false
        // Which partition the record is of that is written again is not known.
        case .markStale: true
        }
    }

    func verdict(on key: RecordKey) -> StoreTier.Verdict {
        verdicts[key]?() ?? .wanted
    }

    /// Some keys are done with. The last ones end the change.
    func finished(_ count: Int, hasFailed: Bool) {
        let outcome = progress.withLock { progress -> Bool? in
            progress.remaining -= count
            progress.hasFailed = progress.hasFailed || hasFailed
            return progress.remaining == 0 ? !progress.hasFailed : nil
        }
        if let outcome { end.answer(outcome) }
    }
}
