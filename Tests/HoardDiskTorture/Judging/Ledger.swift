// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The content that each key of a store may have, as far as the operations on it are known.
///
/// Operations on one key come one after the other. Operations on different keys come in any order.
struct Ledger: Sendable {
    /// The possibilities for each key. A key without an entry may hold any version, because
    /// nothing is known of it yet.
    private var possible: [Int: Set<Held>]
    /// Whether the store may drop records, because it has limits or was damaged.
    let mayLose: Bool

    /// A ledger of keys that hold nothing.
    init(keys: Range<Int>, mayLose: Bool = false) {
        possible = Dictionary(uniqueKeysWithValues: keys.map { ($0, [.nothing]) })
        self.mayLose = mayLose
    }

    /// A ledger of an unknown store.
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

    /// The operation has failed. It may have happened or not, or may have left nothing.
    mutating func fail(_ operation: StoreChange) {
        intend(operation)
        if case .insert(let key, _) = operation { possible[key]?.insert(.nothing) }
    }

    /// Accepts the content that a read has found, and remembers it. Other content that was
    /// possible before is not possible later.
    ///
    /// - Returns: `false` if the key cannot hold this content.
    mutating func observe(_ held: Held, forKey key: Int) -> Bool {
        if let possible = possible[key], !possible.contains(held) && !(mayLose && held == .nothing) { return false }
        possible[key] = mayLose ? [held, .nothing] : [held]
        return true
    }

    /// Takes over the knowledge of another ledger about these keys.
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
