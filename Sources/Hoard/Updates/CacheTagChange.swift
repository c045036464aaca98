// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A change among the values with a tag, as an observer of a ``TieredCache`` sees it: ``TieredCache/updates(taggedWith:)``.
public struct CacheTagChange<Key: Hashable & Sendable>: Sendable {
    /// The keys that were written, loaded or removed. A key whose tags were not known when it was removed is among them.
    public internal(set) var keys: Set<Key> = []

    /// Whether any key may have changed: at the beginning, when the tag or everything was removed or marked stale, and when too many keys have changed to name them.
    public internal(set) var isWhole = false
}

/// Gathers the changes of a tag for one reader.
final class TagObserver<Key: Hashable & Sendable>: Sendable {
    let tag: String
    let signal = UpdateSignal()
    private let change = Mutex(CacheTagChange<Key>(keys: [], isWhole: true))

    /// The most keys that are named.
    static var maximumKeyCount: Int { 1_024 }

    init(tag: String) { self.tag = tag }

    func note(_ key: Key) {
        change.withLock { change in
            if change.isWhole { return }
            change.keys.insert(key)
            if change.keys.count > Self.maximumKeyCount { change = CacheTagChange(keys: [], isWhole: true) }
        }
        signal.note(0) { _ in }
    }

    func noteAll() {
        change.withLock { $0 = CacheTagChange(keys: [], isWhole: true) }
        signal.note(0) { _ in }
    }

    /// The changes since the last call; `nil`: there are none.
    func take() -> CacheTagChange<Key>? {
        change.withLock { change in
            defer { change = CacheTagChange() }
            return change.isWhole || !change.keys.isEmpty ? change : nil
        }
    }
}
