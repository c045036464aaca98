// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Tells the observers of changes. Each of these methods is called outside all locks, after memory has the change.
extension TieredCache {
    /// Tells the observers that a value was written or loaded.
    ///
    /// - Parameter left: The entries that left memory. The observers of a tag that the key has lost are told, too.
    @usableFromInline func notePublication(_ publication: Publication, _ left: Departures<Key, TieredEntry<Value>>, isLoad: Bool) {
        let old = left.value(forKey: publication.key)?.terms.labels ?? []
        observers.note(publication.key, labels: publication.terms.labels.union(old)) { changes in
            if isLoad { changes.loads += 1 } else { changes.writes += 1 }
        }
    }

    /// Tells the observers that the change of a key holds in every tier.
    ///
    /// - Parameter labels: The tags and the partition of the key; `nil` if they are not known.
    @usableFromInline func noteEnd(of key: Key, labels: Set<String>?) {
        guard observers.isInUse else { return }
        observers.note(key, labels: labels) { $0.hasEnded = true }
    }

    /// Has the observers of a key look at it again: memory has got a store's value, or the publication of a loaded value has ended.
    @usableFromInline func noteLook(at key: Key) {
        guard observers.isInUse else { return }
        observers.note(key, labels: []) { _ in }
    }

    /// Tells the observers that a key was removed or marked stale.
    ///
    /// - Parameters:
    ///   - labels: The tags and the partition of memory's entry; `nil` if it had none, so that the key may have any tag.
    ///   - isForeign: Whether another process has done it.
    func noteInvalidation(of key: Key, labels: Set<String>?, isForeign: Bool = false) {
        guard observers.isInUse else { return }
        observers.note(key, labels: labels) { changes in
            if isForeign { changes.isInvalidatedByOthers = true } else { changes.isInvalidated = true }
        }
    }

    /// Tells the observers that tags, partitions or everything was invalidated: first in memory and, when it has ended, in every tier.
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
    /// The value of a key among those that left.
    @usableFromInline func value(forKey key: Key) -> Value? {
        if let first, first.key == key { return first.value }
        return others.first { $0.key == key }?.value
    }
}
