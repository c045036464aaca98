// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A change among the values with a tag, as ``TieredCache/updates(taggedWith:)`` reports it.
public struct CacheTagChange<Key: Hashable & Sendable>: Sendable {
    /// The keys that were written, loaded or removed. Includes removed keys whose tags were not known.
    public internal(set) var keys: Set<Key> = []

    /// Whether any key may have changed. This holds for the first element, when the tag or everything was removed or marked stale, and when too many
    /// keys have changed to list them.
    public internal(set) var isWhole = false
}

/// Gathers the changes of a tag for one reader.
final class TagObserver<Key: Hashable & Sendable>: Sendable {
    let tag: String
    let signal = UpdateSignal()
    private let change = Mutex(CacheTagChange<Key>(keys: [], isWhole: true))

    /// The most keys that are listed.
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

    /// Takes the changes since the last call; `nil` if there are none.
    func take() -> CacheTagChange<Key>? {
        change.withLock { change in
            defer { change = CacheTagChange() }
            return change.isWhole || !change.keys.isEmpty ? change : nil
        }
    }
}
