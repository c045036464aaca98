// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The changes of a key since its observer looked last. Even without any of them a look is due: a store's value may have been promoted to memory.
struct KeyChanges: Sendable {
    /// The number of writes of a value.
    var writes = 0
    /// The number of loads that have brought a value, or have found that there is none.
    var loads = 0
    /// Whether the key or everything was removed or marked stale.
    var isInvalidated = false
    /// Whether another process has changed the key in a store.
    var isInvalidatedByOthers = false
    /// The tags and partitions that were removed or marked stale.
    private(set) var invalidatedLabels: Set<String> = []
    /// Whether a write or a removal has ended, so that it holds in every tier.
    var hasEnded = false
    /// Whether a lifetime has ended.
    var isDue = false
    /// Whether the observer's own load has ended.
    var hasLoadEnded = false

    private static let maximumLabelCount = 64

    /// - Parameter labels: The tags and partitions; `nil` for everything.
    mutating func invalidate(_ labels: Set<String>?) {
        guard let labels else { return isInvalidated = true }
        invalidatedLabels.formUnion(labels)
        guard invalidatedLabels.count > Self.maximumLabelCount else { return }
        invalidatedLabels = []
        isInvalidated = true
    }

    /// Whether an earlier value with these labels has been invalidated.
    func invalidates(_ labels: Set<String>) -> Bool {
        isInvalidated || isInvalidatedByOthers || !invalidatedLabels.isDisjoint(with: labels)
    }

    /// Whether a value with these labels that is gone may have been removed. If not, it was evicted.
    func mayHaveRemoved(_ labels: Set<String>) -> Bool { writes > 0 || hasEnded || isDue || invalidates(labels) }

    /// Whether a new value may have the same dates as the one that was shown.
    var mayHideNews: Bool { writes + loads > 0 || isInvalidated || isInvalidatedByOthers || !invalidatedLabels.isEmpty }

    mutating func add(_ other: KeyChanges) {
        writes += other.writes
        loads += other.loads
        isInvalidated = isInvalidated || other.isInvalidated
        isInvalidatedByOthers = isInvalidatedByOthers || other.isInvalidatedByOthers
        invalidate(other.invalidatedLabels)
        hasEnded = hasEnded || other.hasEnded
        isDue = isDue || other.isDue
        hasLoadEnded = hasLoadEnded || other.hasLoadEnded
    }
}
