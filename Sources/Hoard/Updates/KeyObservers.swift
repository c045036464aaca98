// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The observers of a cache, which are told when a key, a tag or everything changes.
///
/// An observer is told of a change after memory has it, so a look shows the change or something newer. An observer is added under the lock that
/// guards publications, so every later publication sees it.
@usableFromInline final class KeyObservers<Key: Hashable & Sendable>: Sendable {
    /// An observer of one key.
    private struct Member: Sendable {
        let signal: UpdateSignal
        let number: Int
        /// The tags and the partition of the value that the observer shows; `nil` if any tag may concern it.
        var labels: Set<String>?
    }

    private struct State: Sendable {
        var members: [Key: [UInt64: Member]] = [:]
        var tagObservers: [UInt64: TagObserver<Key>] = [:]
        var lastID: UInt64 = 0
        var isClosed = false

        var isEmpty: Bool { members.isEmpty && tagObservers.isEmpty }

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    private let state = Mutex(State())
    @usableFromInline let hasMembers = Atomic(false)

    /// Whether there are observers. Read by every publication.
    @inlinable var isInUse: Bool { hasMembers.load(ordering: .acquiring) }

    /// The number of observed keys, for tests.
    var keyCount: Int { state.withLock { $0.members.count } }

    init() {}

    // MARK: Members

    /// Adds an observer of a key. Call it under the lock that guards publications.
    ///
    /// - Returns: The number by which it is removed; `nil` if the cache is closed.
    func add(_ signal: UpdateSignal, number: Int, forKey key: Key) -> UInt64? {
        add { state, id in state.members[key, default: [:]][id] = Member(signal: signal, number: number, labels: nil) }
    }

    /// Adds an observer of a tag in the same way.
    func add(_ observer: TagObserver<Key>) -> UInt64? {
        add { state, id in state.tagObservers[id] = observer }
    }

    private func add(_ change: (inout State, UInt64) -> Void) -> UInt64? {
        state.withLock { state in
            if state.isClosed { return nil }
            let id = state.nextID()
            change(&state, id)
            hasMembers.store(true, ordering: .releasing)
            return id
        }
    }

    func remove(_ id: UInt64, forKey key: Key) {
        remove { state in
            // Under a key that is not equal to itself, as NaN is not, the observer is found by its number alone.
            guard let index = state.members.index(forKey: key) ?? state.members.firstIndex(where: { $0.value[id] != nil }) else { return }
            state.members.values[index][id] = nil
            if state.members.values[index].isEmpty { state.members.remove(at: index) }
        }
    }

    func removeTagObserver(_ id: UInt64) {
        remove { $0.tagObservers[id] = nil }
    }

    private func remove(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            if state.isEmpty { hasMembers.store(false, ordering: .releasing) }
        }
    }

    /// Sets the tags that concern an observer; `nil` for all.
    func setLabels(_ labels: Set<String>?, of id: UInt64, forKey key: Key) {
        state.withLock { $0.members[key]?[id]?.labels = labels }
    }

    /// Ends all observers.
    func close() {
        let (members, tagObservers) = state.withLock { state in
            defer {
                state.isClosed = true
                state.members = [:]
                state.tagObservers = [:]
                hasMembers.store(false, ordering: .releasing)
            }
            return (state.members, state.tagObservers)
        }
        for member in members.values.flatMap(\.values) { member.signal.end() }
        for observer in tagObservers.values { observer.signal.end() }
    }

    // MARK: Changes

    /// Tells the observers of a change of one key.
    ///
    /// - Parameter labels: The tags and the partition that the key has or had; `nil` if they are not known.
    func note(_ key: Key, labels: Set<String>?, _ change: (inout KeyChanges) -> Void) {
        let (members, tagObservers) = state.withLock { state in
            (state.members[key].map { Array($0.values) } ?? [], state.tagObservers.isEmpty ? [] : Array(state.tagObservers.values))
        }
        for member in members { member.signal.note(member.number, change) }
        for observer in tagObservers where labels.map({ $0.contains(observer.tag) }) ?? true { observer.note(key) }
    }

    /// Tells the observers of an invalidation of tags and partitions. O(*n*) in the number of observed keys.
    ///
    /// - Parameters:
    ///   - labels: The tags and partitions; `nil` for everything.
    ///   - hasEnded: Whether it holds in every tier. Only then are observers of tags told.
    ///   - isForeign: Whether another process has done it.
    func note(labels: Set<String>?, hasEnded: Bool, isForeign: Bool = false) {
        func concerns(_ others: Set<String>?) -> Bool {
            guard let labels, let others else { return true }
            return !labels.isDisjoint(with: others)
        }
        let (members, tagObservers) = state.withLock { state in
            let members = state.members.values.flatMap { $0.values.filter { concerns($0.labels) } }
            return (members, hasEnded ? state.tagObservers.values.filter { concerns([$0.tag]) } : [])
        }
        for member in members {
            member.signal.note(member.number) { if isForeign { $0.isInvalidatedByOthers = true } else { $0.invalidate(labels) } }
        }
        for observer in tagObservers { observer.noteAll() }
    }
}
