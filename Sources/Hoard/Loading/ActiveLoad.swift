// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A load under way, as the tasks inside it see it. Finds loads that would wait for themselves.
///
/// Each load knows the load inside which it was started, and the loads for which tasks inside it wait now. Once a load has ended, a task that it
/// has left behind is no longer inside it.
///
/// A load brings the values of one or several keys. Each key is a flight of its own. The load is cancelled when all flights have been abandoned.
final class ActiveLoad: Sendable {
    /// The load inside which the current task was created; it may have ended.
    @TaskLocal static var innermost: ActiveLoad?

    /// The loads for which each load waits, one element for each wait. All caches share one lock, because loads may wait for each other across
    /// caches. Only loads inside loads take it.
    private static let waits = Mutex<[ObjectIdentifier: [ActiveLoad]]>([:])

    /// A `Set` of the keys that the load brings.
    private let keys: any Sendable
    private let owner: ObjectIdentifier
    private let outer: ActiveLoad?
    private let hasEnded = Atomic<Bool>(false)
    private let cancellation: Mutex<Cancellation>

    private struct Cancellation {
        var flightCount: Int
        var task: Task<Void, Never>?
    }

    init<Key: Hashable & Sendable>(keys: Set<Key>, owner: ObjectIdentifier, outer: ActiveLoad?) {
        self.keys = keys
        cancellation = Mutex(Cancellation(flightCount: keys.count))
        self.owner = owner
        self.outer = outer
    }

    /// The load inside which the current task runs.
    static var current: ActiveLoad? {
        innermost.flatMap { $0.hasEnded.load(ordering: .acquiring) ? nil : $0 }
    }

    func end() {
        hasEnded.store(true, ordering: .releasing)
    }

    /// Sets the task in which the load runs. Cancels it at once if all flights have been abandoned already.
    func begin(in task: Task<Void, Never>) {
        let isAbandoned = cancellation.withLock { cancellation in
            cancellation.task = task
            return cancellation.flightCount == 0
        }
        if isAbandoned { task.cancel() }
    }

    /// Notes that no caller waits for one of the load's flights any more.
    func abandonFlight() {
        let task = cancellation.withLock { cancellation in
            cancellation.flightCount -= 1
            return cancellation.flightCount == 0 ? cancellation.task : nil
        }
        task?.cancel()
    }

    /// Whether this load, or one inside which it was started, loads `key` for `owner`.
    func isInside<Key: Hashable>(_ key: Key, of owner: ObjectIdentifier) -> Bool {
        var link: ActiveLoad? = self
        while let load = link, !load.hasEnded.load(ordering: .acquiring) {
            if load.owner == owner, (load.keys as? Set<Key>)?.contains(key) ?? false { return true }
            link = load.outer
        }
        return false
    }

    /// Notes that a task inside this load waits for `other`, unless `other` waits for this load already, directly or through others.
    ///
    /// - Returns: Whether the task may wait. If so, ``endWait(for:)`` must follow.
    func beginWait(for other: ActiveLoad) -> Bool {
        Self.waits.withLock { waits in
            var reached: Set<ObjectIdentifier> = []
            var unvisited = [ObjectIdentifier(other)]
            while let load = unvisited.popLast() {
                if load == ObjectIdentifier(self) { return false }
                guard reached.insert(load).inserted else { continue }
                unvisited += waits[load, default: []].map { ObjectIdentifier($0) }
            }
            waits[ObjectIdentifier(self), default: []].append(other)
            return true
        }
    }

    func endWait(for other: ActiveLoad?) {
        guard let other else { return }
        Self.waits.withLock { waits in
            guard var others = waits[ObjectIdentifier(self)], let position = others.firstIndex(where: { $0 === other }) else { return }
            others.remove(at: position)
            waits[ObjectIdentifier(self)] = others.isEmpty ? nil : others
        }
    }
}
