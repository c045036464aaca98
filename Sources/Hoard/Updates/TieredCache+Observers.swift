// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Telling the observers of changes. Each of these is called outside all locks, after memory has the change.
extension TieredCache {
    /// A value was written or loaded.
    ///
    /// - Parameter left: What memory had before. A tag that the key has lost concerns its observers, too.
    @usableFromInline func notePublication(_ publication: Publication, _ left: Departures<Key, TieredEntry<Value>>, isLoad: Bool) {
        let old = left.value(forKey: publication.key)?.terms.labels ?? []
        observers.note(publication.key, labels: publication.terms.labels.union(old)) { changes in
            if isLoad { changes.loads += 1 } else { changes.writes += 1 }
        }
    }

    /// The change of a key holds in every tier.
    ///
    /// - Parameter labels: Those of the key. `nil`: they are not known.
    @usableFromInline func noteEnd(of key: Key, labels: Set<String>?) {
        guard observers.isInUse else { return }
        observers.note(key, labels: labels) { $0.hasEnded = true }
    }

    /// Memory has got a copy of what a store has: a look is due.
    @usableFromInline func noteCopy(of key: Key) {
        guard observers.isInUse else { return }
        observers.note(key, labels: []) { _ in }
    }

    /// A key was removed or marked stale.
    ///
    /// - Parameters:
    ///   - labels: Those of what memory had of it. `nil`: it had nothing, and the key may have any tag.
    ///   - isForeign: Whether somebody else has done it.
    func noteInvalidation(of key: Key, labels: Set<String>?, isForeign: Bool = false) {
        guard observers.isInUse else { return }
        observers.note(key, labels: labels) { changes in
            if isForeign { changes.isInvalidatedByOthers = true } else { changes.isInvalidated = true }
        }
    }

    /// Tags, partitions or everything was invalidated: in memory at first, in every tier when it has ended.
    func noteInvalidation(ofTags tags: Set<String>, hasEnded: Bool) {
        guard observers.isInUse else { return }
        observers.note(labels: tags.contains(FenceTable<Key>.tagOfEverything) ? nil : tags, hasEnded: hasEnded)
    }

    func noteChangeOfEverything(hasEnded: Bool, isForeign: Bool = false) {
        guard observers.isInUse else { return }
        observers.note(labels: nil, hasEnded: hasEnded, isForeign: isForeign)
    }
}

extension Departures where Key: Equatable {
    /// The value that a key had.
    @usableFromInline func value(forKey key: Key) -> Value? {
        if let first, first.key == key { return first.value }
        return others.first { $0.key == key }?.value
    }
}
