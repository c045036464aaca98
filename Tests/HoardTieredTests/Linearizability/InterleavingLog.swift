// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Synchronization

@testable import Hoard

/// A program's operations on a cache, and the values of its source meanwhile, in logical time.
final class InterleavingLog: Sendable {
    typealias Moment = RegisterHistory.Moment

    private struct State {
        var lastVersion: Int
        /// The versions of a key in the source, each with the moment from which the source had it.
        var source: [String: [(version: Int, since: Moment)]] = [:]
        /// The known fresh values. Marking as stale counts as a removal.
        var fresh: [String: RegisterHistory] = [:]
        /// The known values, fresh or stale. Marking as stale does not count.
        var kept: [String: RegisterHistory] = [:]
        var complaints: [String] = []
        var trace: [String] = []
    }

    private let state: Mutex<State>
    /// The moments that have passed. Caches over the same stores share them.
    private let moments: Counter

    /// The histories to which an operation belongs.
    enum Scope { case fresh, kept, both }

    /// Whether the calls of the stores are part of the events. This is slow.
    let isTraced: Bool

    /// - Parameter number: The number of the cache, of several. Different caches have different versions.
    init(keys: [String], number: Int = 0, moments: Counter = Counter(), isTraced: Bool = false) {
        self.isTraced = isTraced
        self.moments = moments
        var state = State(lastVersion: number * 1_000)
        for key in keys { state.source[key] = [(state.lastVersion, 0)] }
        self.state = Mutex(state)
    }

    /// The tags of every value of this version, loaded or inserted.
    static func tags(of version: Int) -> Set<String> {
        version % 3 == 2 ? [] : ["tag \(version % 2 == 0 ? "\u{E9}" : "e\u{301}")\(version % 3)"]
    }

    /// The partition of every value of this version, loaded or inserted.
    static func partition(of version: Int) -> String? {
        version % 5 < 2 ? "partition \(version % 5)" : nil
    }

    /// The present moment, which never comes again.
    func now() -> Moment { moments.increment() }

    /// The present version of a key in the source.
    func source(_ key: String) -> Int {
        state.withLock { $0.source[key]?.last?.version ?? 0 }
    }

    /// Gives these keys a new version in the source, as a program does that changes its
    /// database first and its cache afterwards.
    ///
    /// - Returns: The version, and the moment at which the source changed and the change of the cache began.
    func moveSourceOn(_ keys: [String]) -> (version: Int, begun: Moment) {
        state.withLock { state in
            let begun = now()
            state.lastVersion += 1
            for key in keys { state.source[key, default: []].append((state.lastVersion, begun)) }
            return (state.lastVersion, begun)
        }
    }

    /// Adds an operation that returns now.
    func add(_ action: RegisterHistory.Action, _ keys: [String], from begun: Moment, to end: Moment? = nil, scope: Scope = .both, _ name: String) {
        let returned = now()
        state.withLock { state in
            for key in keys {
                if scope != .kept { state.fresh[key, default: .init()].add(action, from: begun, to: end ?? returned, name) }
                if scope != .fresh { state.kept[key, default: .init()].add(action, from: begun, to: end ?? returned, name) }
            }
        }
    }

    /// Adds that a caller has now found a value after it asked at `begun`.
    ///
    /// A load may return to its callers a value that the source had during the call, even if the load was fenced and published nothing.
    func found(_ lookup: Lookup<Int>, _ key: String, from begun: Moment, _ name: String) {
        if lookup.tier == .loader, hasBeenInSource(lookup.value, key, since: begun) { return }
        add(.read(lookup.value), [key], from: begun, scope: lookup.isFresh ? .both : .kept, "\(name), from \(lookup.tier)")
    }

    /// Adds the values that one call has found, in the order of these keys.
    func found(_ lookups: [String: Lookup<Int>], _ keys: [String], from begun: Moment, _ name: String) {
        for key in keys {
            if let found = lookups[key] { self.found(found, key, from: begun, name) }
        }
    }

    private func hasBeenInSource(_ version: Int, _ key: String, since begun: Moment) -> Bool {
        state.withLock { state in
            let versions = state.source[key, default: []]
            guard let index = versions.firstIndex(where: { $0.version == version }) else { return false }
            return index == versions.count - 1 || versions[index + 1].since >= begun
        }
    }

    /// Adds a call of a store.
    func trace(_ call: FaultyStore.Call, _ behavior: FaultyStore.Behavior, store: String, at nanoseconds: Int64) {
        guard isTraced else { return }
        let fate = [
            behavior.delay > .zero ? "waits \(behavior.delay)" : nil, behavior.error.map { _ in "fails" },
            behavior.partialError.map { _ in "fails after \(behavior.partialCount)" },
            behavior.delayAfterwards > .zero ? "answers after \(behavior.delayAfterwards)" : nil,
            behavior.errorAfterwards.map { _ in "fails afterwards" },
        ]
        let keys = call.keys.map(\.description) + call.tags.sorted() + [call.partition].compactMap(\.self)
        state.withLock { state in
            let line = "\(moments.value) at \(Duration.nanoseconds(nanoseconds)): \(store) \(call.operation) \(keys): \(fate.compactMap(\.self))"
            state.trace.append(line)
        }
    }

    /// Adds a complaint about something that must not happen.
    func complain(_ complaint: String) {
        state.withLock { $0.complaints.append(complaint) }
    }

    /// Returns the histories that no register can have, and the complaints.
    func violations() -> [String] {
        let (fresh, kept, complaints) = state.withLock { ($0.fresh, $0.kept, $0.complaints) }
        var violations = complaints
        for (name, histories) in [("fresh", fresh), ("kept", kept)] {
            for (key, history) in histories.sorted(by: { $0.key < $1.key }) {
                if let violation = history.violation() { violations.append("\(name) values of \(key): \(violation)") }
            }
        }
        return violations
    }

    /// The operations so far, with the calls of the stores if they are traced.
    var events: [String] {
        state.withLock { state in
            state.trace + state.kept.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.operations)" }
        }
    }
}
