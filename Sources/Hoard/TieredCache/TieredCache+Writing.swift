// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension TieredCache {
    /// Writes a value to memory and to every store, and replaces any other value of its key. Suspends until the stores have it, unless it is written
    /// behind.
    ///
    /// Never throws: a store that fails is passed by, and drops any older value of the key before it is next read.
    ///
    /// - Parameters:
    ///   - policy: Decides how long the value is fresh and kept, and which tiers get it. By default the cache's policy.
    ///   - tags: Labels by which values can be removed or marked stale together.
    ///   - partition: The group that owns the value, such as a user. All values of a partition can be removed together. `nil`: none.
    ///   - validator: The validator that a revalidation sends to the source.
    public func insert(
        _ value: Value,
        forKey key: Key,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        partition: String? = nil,
        validator: String? = nil
    ) async {
        let policy = policy ?? configuration.policy
        var terms = newTerms(policy)
        terms.tags = tags
        terms.partition = partition
        terms.validator = validator
        await publish(Publication(key: key, fence: openFence(forKey: key, .none), value: value, terms: terms, policy: policy), isLoad: false)
    }

    /// Writes several values like ``insert(_:forKey:policy:tags:partition:validator:)``, with one call of each store, or a few if they are written
    /// behind.
    public func insert(contentsOf values: [Key: Value], policy: CachePolicy? = nil, tags: Set<String> = [], partition: String? = nil) async {
        let policy = policy ?? configuration.policy
        let publications = values.map { key, value in
            var terms = newTerms(policy)
            terms.tags = tags
            terms.partition = partition
            return Publication(key: key, fence: openFence(forKey: key, .none), value: value, terms: terms, policy: policy)
        }
        await publish(publications, isLoad: false)
    }

    // MARK: Fences

    /// Opens a fence, which marks the moment at which a caller begins to obtain a value for `key` outside the cache. Close it or publish with it.
    ///
    /// A value published with it does not replace a value that other processes have written to a shared store since.
    @inlinable package func openFence(forKey key: Key) -> FenceTable<Key>.Fence {
        openFence(forKey: key, stack.positions)
    }

    /// Opens a fence for a value that a caller began to obtain when the shared stores were at these positions. With ``StorePositions/none``, the
    /// value replaces values that others have written.
    @inlinable package func openFence(forKey key: Key, _ positions: StorePositions) -> FenceTable<Key>.Fence {
        interleavingPoint()
        return fences.withLock { $0.open(key, positions) }
    }

    /// Whether the fence's key has been neither written nor removed since the fence was opened.
    @inlinable package func isIntact(_ fence: FenceTable<Key>.Fence) -> Bool {
        fences.withLock { $0.isIntact(fence) }
    }

    /// Whether neither the fence's key nor one of these tags has been changed since the fence was opened.
    @inlinable package func isIntact(_ fence: FenceTable<Key>.Fence, tags: Set<String>, isCopy: Bool = false) -> Bool {
        fences.withLock { $0.isIntact(fence, tags: tags, isCopy: isCopy) }
    }

    /// Whether a write or removal of the key is under way. If so, the stores may still have the value that it replaces or removes.
    @inlinable package func isBeingChanged(_ key: Key) -> Bool {
        fences.withLock { $0.isBeingChanged(key) }
    }

    /// Gives up a fence that was not used to publish.
    @inlinable package func closeFence(_ fence: FenceTable<Key>.Fence) {
        fences.withLock { $0.close(fence) }
    }

    /// Keeps the loads and writes under way for a key from publishing, except the spared one. Leaves the tiers as they are.
    package func breakFences(forKey key: Key, sparing spared: FenceTable<Key>.Fence? = nil) {
        interleavingPoint()
        fences.withLock { $0.breakFences(forKey: key, sparing: spared) }
    }

    /// Keeps the loads and writes under way for a key from publishing until ``endRemoval(ofKey:sparing:)``: see ``FenceTable``.
    package func beginRemoval(ofKey key: Key, sparing spared: FenceTable<Key>.Fence? = nil) {
        interleavingPoint()
        fences.withLock { $0.beginRemoval(ofKey: key, sparing: spared) }
    }

    package func endRemoval(ofKey key: Key, sparing spared: FenceTable<Key>.Fence? = nil) {
        interleavingPoint()
        fences.withLock { $0.endRemoval(ofKey: key, sparing: spared) }
        noteEnd(of: key, labels: nil)
    }

    /// The removal of a record from a tier, unless a newer change of the key has reached the tier.
    func removal(of key: RecordKey, fromTier tier: Int, change fence: FenceTable<Key>.Fence) -> StoreTier.Removal {
        StoreTier.Removal(key: key) { [self] in fences.withLock { $0.mayReach(tier: tier, change: fence) } ? .wanted : .unwanted }
    }
}
