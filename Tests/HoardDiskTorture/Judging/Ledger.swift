// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// What each key of a store may hold, by what is known of the operations on it.
///
/// Operations on one key come one after the other; those on different keys in any order.
struct Ledger: Sendable {
    /// The possibilities for each key. No entry: nothing is known of the key yet, and it may hold any version.
    private var possible: [Int: Set<Held>]
    /// Whether the store may drop records, because it has limits or was damaged.
    let mayLose: Bool

    /// A ledger of keys that hold nothing.
    init(keys: Range<Int>, mayLose: Bool = false) {
        possible = Dictionary(uniqueKeysWithValues: keys.map { ($0, [.nothing]) })
        self.mayLose = mayLose
    }

    /// A ledger of a store of which nothing is known.
    init(unknownAllowingLoss mayLose: Bool) {
        possible = [:]
        self.mayLose = mayLose
    }

    func possibilities(forKey key: Int) -> Set<Held>? { possible[key] }

    /// The operation is about to start: from now on it may have happened.
    mutating func intend(_ operation: StoreChange) {
        change(by: operation) { held, key in held.union(held.map { operation.result(for: key, holding: $0) }) }
    }

    /// The operation has returned: it has happened.
    mutating func acknowledge(_ operation: StoreChange) {
        if case .insert(let key, let version) = operation {
            possible[key] = mayLose ? [.version(version), .nothing] : [.version(version)]
            return
        }
        if case .remove(let key) = operation {
            possible[key] = [.nothing]
            return
        }
        change(by: operation) { held, key in Set(held.map { operation.result(for: key, holding: $0) }) }
    }

    /// The operation has failed: it may have happened or not, or left nothing.
    mutating func fail(_ operation: StoreChange) {
        intend(operation)
        if case .insert(let key, _) = operation { possible[key]?.insert(.nothing) }
    }

    /// Accepts what a read has found, and remembers it: nothing that was possible beside it is possible later.
    ///
    /// - Returns: `false` if the key cannot hold this.
    mutating func observe(_ held: Held, forKey key: Int) -> Bool {
        if let possible = possible[key], !possible.contains(held) && !(mayLose && held == .nothing) { return false }
        possible[key] = mayLose ? [held, .nothing] : [held]
        return true
    }

    /// Takes over what another ledger knows of the keys it has.
    mutating func adopt(_ other: Ledger, keys: some Sequence<Int>) {
        for key in keys { possible[key] = other.possible[key] }
    }

    private mutating func change(by operation: StoreChange, _ body: (Set<Held>, Int) -> Set<Held>) {
        switch operation {
        case .insert(let key, _), .remove(let key):
            possible[key] = possible[key].map { body($0, key) }
        case .removeTag:
            for (key, held) in possible where operation.concerns(key) { possible[key] = body(held, key) }
        }
    }
}
