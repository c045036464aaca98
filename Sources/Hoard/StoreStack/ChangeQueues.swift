// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The order of the changes of each key: one is under way, the others wait, first come, first served.
///
/// A change of several keys has a place in the queue of each. It does not wait for all of them together: the keys whose turn comes at the same
/// moment are dealt with together, so that one slow key does not hold up the others.
struct ChangeQueues: Sendable {
    private struct Place: Sendable {
        let change: StoreChange
        /// The number of the last newer change that this one must not outlive: the records that it writes have to be
        /// removed again.
        var invalidatedBy: UInt64?
        /// Whether the store may still write something for it.
        var mayWrite: Bool
    }

    /// The first place of each queue is the one whose turn it is. No queue is empty.
    private var queues: [RecordKey: [Place]] = [:]

    /// The keys that are being changed.
    var count: Int { queues.count }

    func isFree(_ key: RecordKey) -> Bool { queues[key] == nil }

    /// The number of changes that wait for their turn.
    func waiterCount(for key: RecordKey) -> Int { max(0, (queues[key]?.count ?? 0) - 1) }

    /// The number of the change whose turn it is.
    func numberUnderWay(for key: RecordKey) -> UInt64? { queues[key]?.first?.change.number }

    /// Whether a change that has been overtaken by an invalidation may still write the key.
    func isInvalidated(_ key: RecordKey) -> Bool {
        queues[key]?.contains { $0.invalidatedBy != nil } ?? false
    }

    /// Queues a change for all its keys.
    ///
    /// - Returns: The keys whose turn has come at once.
    mutating func enter(_ change: StoreChange) -> [RecordKey] {
        change.keys.filter { key in
            queues[key, default: []].append(Place(change: change, invalidatedBy: nil, mayWrite: change.mayWrite))
            return queues[key]?.count == 1
        }
    }

    /// Ends the turn of a change.
    ///
    /// - Returns: Whose turn it is now, and for which keys.
    mutating func leave(_ change: StoreChange, _ keys: [RecordKey]) -> [(change: StoreChange, keys: [RecordKey])] {
        var next: [(change: StoreChange, keys: [RecordKey])] = []
        for key in keys {
            guard let index = queues.index(forKey: key), queues.values[index].first?.change === change else { continue }
            guard queues.values[index].count > 1 else {
                queues.remove(at: index)
                continue
            }
            queues.values[index].removeFirst()
            guard let following = queues.values[index].first?.change else { continue }
            if let known = next.firstIndex(where: { $0.change === following }) {
                next[known].keys.append(key)
            } else {
                next.append((following, [key]))
            }
        }
        return next
    }

    /// Takes back the places at which a change still waits.
    ///
    /// - Returns: The keys concerned, and those whose turn it is already.
    mutating func withdraw(_ change: StoreChange) -> (waiting: [RecordKey], underWay: [RecordKey]) {
        var waiting: [RecordKey] = []
        var underWay: [RecordKey] = []
        for key in change.keys {
            guard let place = queues[key]?.firstIndex(where: { $0.change === change }) else { continue }
            if place == 0 {
                underWay.append(key)
            } else {
                waiting.append(key)
                queues[key]?.remove(at: place)
            }
        }
        return (waiting, underWay)
    }

    /// Notes that the records that changes older than `number` write under `key` have to be removed again.
    mutating func invalidate(_ key: RecordKey, by number: UInt64) {
        guard let index = queues.index(forKey: key) else { return }
        invalidate(at: index, by: number) { _ in true }
    }

    /// Notes that the records that changes older than `number` write with one of the tags have to be removed again.
    ///
    /// `nil`: all records that they write. O(changes under way).
    mutating func invalidate(taggedWithAny tags: Set<String>?, by number: UInt64) {
        invalidate(by: number) { key, change in tags.map { change.mayWrite(key, taggedWithAny: $0) } ?? true }
    }

    /// Notes that the records of a partition that changes older than `number` write have to be removed again. O(changes under way).
    mutating func invalidate(inPartition partition: String, by number: UInt64) {
        invalidate(by: number) { key, change in change.mayWrite(key, inPartition: partition) }
    }

    private mutating func invalidate(by number: UInt64, where isConcerned: (RecordKey, StoreChange) -> Bool) {
        var index = queues.startIndex
        while index != queues.endIndex {
            let key = queues.keys[index]
            invalidate(at: index, by: number) { isConcerned(key, $0) }
            queues.formIndex(after: &index)
        }
    }

    private mutating func invalidate(at index: Dictionary<RecordKey, [Place]>.Index, by number: UInt64, where isConcerned: (StoreChange) -> Bool) {
        for place in queues.values[index].indices {
            let candidate = queues.values[index][place]
            guard candidate.mayWrite, candidate.change.number < number, isConcerned(candidate.change) else { continue }
            queues.values[index][place].invalidatedBy = max(number, candidate.invalidatedBy ?? 0)
        }
    }

    /// The number of the invalidation that has overtaken the change whose turn it is.
    func invalidation(ofTurnFor key: RecordKey) -> UInt64? {
        queues[key]?.first?.invalidatedBy
    }

    /// The store has answered the change whose turn it is: it writes nothing more.
    mutating func landed(_ key: RecordKey) {
        guard let index = queues.index(forKey: key) else { return }
        queues.values[index][0].mayWrite = false
        queues.values[index][0].invalidatedBy = nil
    }
}
