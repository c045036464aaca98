// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How far eviction has come along its queue, for each kind of records: no row up to the stamp has a record of that kind.
struct EvictionProgress: Sendable, Hashable {
    /// For records that have not been read since they came.
    var onTrial = Int64.min
    /// For those that have.
    var tried = Int64.min
}

/// A transaction's way along the queue of eviction.
final class Eviction {
    /// The records that are evicted next: all, those that have not been read since they came, or those that have.
    enum Kind { case any, onTrial, tried }

    /// The stamp of the last row that came for a kind. Those for all kinds together begin anew in each transaction, as all their rows are deleted.
    private var ends: [Kind: Int64]
    /// The number of rows that were passed over, because their records are of the other kind.
    private(set) var passedCount = 0
    /// The number of records that are known, and of those on trial, with what the transaction has done.
    private var knownCount, knownTrialCount: Int
    /// Rows that have been read and not looked at.
    private var rows: [Kind: ArraySlice<RecencyRow>] = [:]
    /// Rows that are to be deleted: all those between these stamps. Each was the next one for the same kind, with none of another kind in between.
    private var doomed: (kind: Kind, stamps: ClosedRange<Int64>)?

    init(_ progress: EvictionProgress, knownCount: Int, knownTrialCount: Int) {
        ends = [.onTrial: progress.onTrial, .tried: progress.tried]
        self.knownCount = knownCount
        self.knownTrialCount = knownTrialCount
    }

    /// How far the transaction has come, for the next one.
    var progress: EvictionProgress { EvictionProgress(onTrial: end(of: .onTrial), tried: end(of: .tried)) }

    /// The number of records on trial.
    ///
    /// The index goes on knowing records that other processes have evicted. Most of those were on trial, and all are taken for such: if they counted, nothing that
    /// this process writes would outlive its trial.
    ///
    /// - Parameter count: The number of records that there are.
    func trialCount(of count: Int) -> Int { max(0, knownTrialCount - max(0, knownCount - count)) }

    /// A record that was known by the first stamp is known by the second one now; `nil`: not at all.
    func note(_ former: Int64?, _ stamp: Int64?) {
        knownCount += (stamp == nil ? 0 : 1) - (former == nil ? 0 : 1)
        knownTrialCount += (stamp.map(Self.isOnTrial) == true ? 1 : 0) - (former.map(Self.isOnTrial) == true ? 1 : 0)
    }

    /// Whether a record with this stamp has not been read since it came.
    static func isOnTrial(_ stamp: Int64) -> Bool { stamp & 1 == 0 }

    /// The next row for a kind, in the order of the queue; `nil` if none has been read.
    func nextRow(_ kind: Kind) -> RecencyRow? {
        guard let row = rows[kind, default: []].popFirst() else { return nil }
        ends[kind] = row.stamp
        return row
    }

    /// The stamp after which the rows to be read next for a kind come.
    func end(of kind: Kind) -> Int64 { ends[kind] ?? .min }

    /// Takes in the rows that have been read for a kind.
    func add(_ page: [RecencyRow], for kind: Kind) { rows[kind] = page[...] }

    /// A row that came next for a kind is to be deleted.
    ///
    /// - Returns: The stamps of rows that have to be deleted first.
    func doom(_ row: RecencyRow, _ kind: Kind) -> ClosedRange<Int64>? {
        if let doomed, doomed.kind == kind {
            self.doomed = (kind, doomed.stamps.lowerBound...row.stamp)
            return nil
        }
        defer { doomed = (kind, row.stamp...row.stamp) }
        return takeDoomed()
    }

    /// Takes the stamps of the rows that are to be deleted; `nil`: there are none.
    func takeDoomed() -> ClosedRange<Int64>? {
        defer { doomed = nil }
        return doomed?.stamps
    }

    /// A row keeps its place in the queue.
    func passOver() { passedCount += 1 }

    /// Goes along the queue from its beginning again.
    func beginAnew() {
        (ends, rows) = ([:], [:])
    }
}
