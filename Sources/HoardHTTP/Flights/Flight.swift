// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import Synchronization

/// One request on its way through the cache, with the fences that decide whether its response may be stored.
///
/// A removal of the URI, or a change of its resource, breaks the fences: a response requested before is not stored after it.
/// Dropping the flight closes the fences.
final class Flight: Sendable {
    let key: HTTPCacheKey
    private let cache: HTTPCache
    private let selectingFields: SelectingFields
    private let fences: Fences
    private let space: HTTPCache.Space
    /// The labels of a removal of the URI for all credentials (``HTTPCache/uriTags(of:)``), and of one of the partition.
    private let labels: Set<String>
    /// The flight goes on behind a change of its own, which breaks the fence of the key once more.
    private let isAfterChange: Bool
    /// Others wait until the stores have the response of the flight.
    private let isAwaited: Bool
    private let state = Mutex(State())

    private struct Fences: Sendable {
        /// Broken by removals and by everything that is written under the key.
        let key: FenceTable<HTTPCacheKey>.Fence
        /// Broken by removals alone: of the URI, and of those that differ from it by the query, which may mean the same.
        let removals: [FenceTable<HTTPCacheKey>.Fence]
        /// Broken by removals of the partition, and of everything, alone; `nil`: there is no partition.
        let partition: FenceTable<HTTPCacheKey>.Fence?
    }

    private struct State {
        var found: HTTPCache.Found?
        var hasHandedOverFence = false
        var isClosed = false
    }

    /// Begins before anything is read: a removal from here on keeps the fetched response from being stored.
    ///
    /// - Parameters:
    ///   - other: The flight takes the place of this one, whose own request removes the stored response.
    ///   - isAwaited: Whether storing ends only when the stores have the response.
    init(
        key: HTTPCacheKey,
        space: HTTPCache.Space,
        selectingFields: SelectingFields,
        cache: HTTPCache,
        after other: Flight? = nil,
        isAwaited: Bool = false
    ) {
        self.key = key
        self.space = space
        self.isAwaited = isAwaited || other?.isAwaited ?? false
        isAfterChange = other != nil
        let uriTags = isAfterChange || !key.isOneOfMany ? [] : cache.uriTags(of: [key])
        labels = uriTags.union(space.labels)
        self.selectingFields = selectingFields
        self.cache = cache
        fences = Fences(
            key: cache.entries.openFence(forKey: key),
            removals: [key.removalKey, key.searchRemovalKey].map { cache.entries.openFence(forKey: $0) },
            partition: space.partition.map { _ in cache.entries.openFence(forKey: key.partitionRemovalKey) }
        )
    }

    deinit {
        close()
    }

    /// Nothing will be stored any more. Closing again does nothing.
    func close() {
        let (mustClose, hasHandedOver) = state.withLock { state in
            defer { state.isClosed = true }
            return (!state.isClosed, state.hasHandedOverFence)
        }
        guard mustClose else { return }
        if !hasHandedOver { cache.entries.closeFence(fences.key) }
        for fence in fences.removals { cache.entries.closeFence(fence) }
        if let fence = fences.partition { cache.entries.closeFence(fence) }
    }

    /// Whether the partition has been removed since the flight began, or the flight is closed: nothing that belongs to it is written any more.
    var hasLostPartition: Bool {
        guard let fence = fences.partition else { return false }
        return !cache.entries.isIntact(fence, tags: space.labels)
    }

    /// Whether nothing has been removed since the flight began that its response might bring back.
    var isIntact: Bool { isIntact(tags: labels) }

    /// The tags of the response that the lookup found count, too: the new one may rest on it.
    func isIntact(for response: StoredResponse) -> Bool {
        var tags = cache.ownTags(of: response, forKey: key)
        for others in [labels, found?.response.map { cache.ownTags(of: $0, forKey: key) } ?? []] where !others.isEmpty { tags.formUnion(others) }
        return isIntact(tags: tags)
    }

    /// A response that rests on a stored one, such as one that the origin has confirmed, also counts as removed by a removal that was under way at the lookup.
    private func isIntact(tags: Set<String>) -> Bool {
        let (isClosed, hasFound) = state.withLock { ($0.isClosed, $0.found?.response != nil) }
        return !isClosed && fences.removals.allSatisfy { cache.entries.isIntact($0, tags: tags, isCopy: hasFound) }
    }

    /// For whom the segments of a body are written that the flight brings.
    var segmentOwner: BodySegments.Owner {
        guard let partition = space.partition else { return .nobody }
        return BodySegments.Owner(partition: partition, positions: fences.key.positions) { [self] in !hasLostPartition }
    }

    /// The result of the lookup.
    var found: HTTPCache.Found? {
        get { state.withLock { $0.found } }
        set { state.withLock { $0.found = newValue } }
    }

    /// The response that memory had under the key itself. One from the stores does not count: memory may not be able to keep the
    /// response, and then the stores need every form.
    private var foundInMemory: StoredResponse? { found.flatMap { $0.key == key && $0.tier == .memory ? $0.response : nil } }

    /// The fence that this flight has for a key.
    func fence(ofKey key: HTTPCacheKey) -> FenceTable<HTTPCacheKey>.Fence? { ([fences.key] + fences.removals).first { $0.key == key } }

    /// Keeps all flights but one from storing anything under the URI of the stored response that the lookup found. ``removeFound(sparing:)`` follows.
    func breakFencesOfFound(sparing flight: Flight) {
        guard let removed = removalKeyOfFound else { return }
        cache.entries.breakFences(forKey: removed, sparing: flight.fence(ofKey: removed))
    }

    /// Removes the stored response that the lookup found.
    func removeFound(sparing flight: Flight) async {
        guard let found, let key = found.key, let removed = removalKeyOfFound else { return }
        let spared = flight.fence(ofKey: removed)
        cache.entries.beginRemoval(ofKey: removed, sparing: spared)
        await cache.entries.removeValue(forKey: key)
        cache.entries.endRemoval(ofKey: removed, sparing: spared)
        found.response?.body.references.forEach { cache.segments.remove($0) }
    }

    private var removalKeyOfFound: HTTPCacheKey? {
        guard let found, found.key != nil else { return nil }
        return found.base == key ? key.removalKey : found.base.searchRemovalKey
    }

    /// Puts an updated form of the stored response that the lookup found in its place, unless another one has taken that since, or a later request has
    /// confirmed it.
    func replaceFound(with response: StoredResponse) async {
        guard let found, let key = found.key, let old = found.response else { return }
        let fence = cache.entries.openFence(forKey: key, fences.key.positions)
        // A write that comes later breaks the fence.
        guard let lookup = await cache.entries.lookup(forKey: key), case .response(let current) = lookup.value,
            current.requestTime <= response.requestTime, current.body == old.body, isIntact(for: response)
        else { return cache.entries.closeFence(fence) }
        let inMemory = lookup.tier == .memory ? current : nil
        _ = await cache.publish(response, forKey: key, of: space.partition, fence: fence, inPlaceOf: inMemory, behind: !isAwaited)
    }

    // MARK: Storing

    /// Stores a response, unless its URI or one of its tags has been removed since the flight began. Closes the flight.
    ///
    /// Not in the caller's task: one that is cancelled finds nothing in the stores, and would write a new index of variants over the one there.
    ///
    /// - Returns: Whether it is stored.
    @discardableResult
    func store(_ response: StoredResponse) async -> Bool {
        await startImmediateTask { [self] in await storeInTask(response) }.value
    }

    /// The same for a packed response in one entry that is selected by nothing but its URI, without suspending.
    ///
    /// - Returns: Whether it is stored, which the caller has to count; `nil` if that takes more than a step. Then nothing has been done, and the flight goes on.
    func storeAtOnce(_ response: StoredResponse) -> Bool? {
        guard response.vary == .fields([]), response.noVarySearch == nil, !isAfterChange, !isAwaited, found?.isOneEntry(of: key) ?? true else {
            return nil
        }
        interleavingPoint()
        guard isIntact(for: response) else {
            close()
            return false
        }
        interleavingPoint()
        guard let isStored = cache.publishAtOnce(response, forKey: key, of: space.partition, fence: handOverFence(), inPlaceOf: foundInMemory) else {
            state.withLock { $0.hasHandedOverFence = false }
            return nil
        }
        close()
        return isStored
    }

    private func storeInTask(_ response: StoredResponse) async -> Bool {
        defer { close() }
        let isStored = await publish(response)
        let old = found?.response?.body.references ?? []
        if isStored {
            let kept = Set(response.body.references.map(\.id))
            for reference in old where !kept.contains(reference.id) { cache.segments.remove(reference) }
            cache.counters.withLock { $0.storedResponses += 1 }
        } else {
            let kept = Set(old.map(\.id))
            for reference in response.body.references where !kept.contains(reference.id) { cache.segments.remove(reference) }
        }
        return isStored
    }

    private func publish(_ response: StoredResponse) async -> Bool {
        interleavingPoint()
        guard case .fields(let names) = response.vary, isIntact(for: response) else { return false }
        interleavingPoint()
        var base = key
        if let rules = response.noVarySearch, !key.isQuery {
            guard await remember(rules, for: response) else { return false }
            base = key.canonicalKey(rules)
        }
        let isStored: Bool
        if !names.isEmpty {
            isStored = await publish(response, asVariantOf: base, names.map(\.canonicalName))
        } else if base == key, !isAfterChange {
            isStored = await cache.publish(
                response,
                forKey: key,
                of: space.partition,
                fence: handOverFence(),
                inPlaceOf: foundInMemory,
                behind: !isAwaited
            )
        } else {
            isStored = await publish(response, forKey: base)
        }
        // The response that was found under another key is older, and lookups would find it instead.
        if isStored, let found, found.base != base, let key = found.key { await cache.entries.removeValue(forKey: key) }
        return isStored
    }

    /// Publishes under a key that is shared with other requests. Of two responses, the answer to the later request stays.
    private func publish(_ response: StoredResponse, forKey key: HTTPCacheKey) async -> Bool {
        let fence = cache.entries.openFence(forKey: key, fences.key.positions)
        var old: StoredResponse?
        if case .response(let current)? = cache.entries.memoryLookup(forKey: key)?.value {
            if current.requestTime > response.requestTime {
                cache.entries.closeFence(fence)
                return false
            }
            old = current
        }
        guard isIntact(for: response) else {
            cache.entries.closeFence(fence)
            return false
        }
        let isStored = await cache.publish(response, forKey: key, of: space.partition, fence: fence, inPlaceOf: old, behind: !isAwaited)
        // It need not be the response that the lookup has found: another one may have come since.
        if isStored, let old {
            let kept = Set((response.body.references + (found?.response?.body.references ?? [])).map(\.id))
            for reference in old.body.references where !kept.contains(reference.id) { cache.segments.remove(reference) }
        }
        return isStored
    }

    private func publish(_ response: StoredResponse, asVariantOf base: HTTPCacheKey, _ fieldNames: [String]) async -> Bool {
        guard let variant = cache.variant(fieldNames, selectingFields.fields), let index = await index(of: base, adding: variant, for: response)
        else {
            return false
        }
        return await publish(response, forKey: base.variantKey(variant, in: index))
    }

    /// The index of the variants of a key, with one more.
    ///
    /// Writing the index breaks the fences of other flights that write it. They begin again. Of two processes that
    /// write it at the same time, the store takes one index, and the other's variant is not found.
    ///
    /// - Returns: `nil` if the URI has been removed since the flight began.
    private func index(of base: HTTPCacheKey, adding variant: VariantIndex.Variant, for response: StoredResponse) async -> VariantIndex? {
        while true {
            let fence = cache.entries.openFence(forKey: base)
            // A removal that comes later breaks the fence.
            guard isIntact(for: response) else {
                cache.entries.closeFence(fence)
                return nil
            }
            var index = VariantIndex(generation: RandomNumbers.draw())
            // During a removal the stores may have the very index that is being removed. It must not be added to: its fields and its
            // generation would come back, and with them all variants.
            let found =
                cache.entries.isBeingChanged(base) ? cache.entries.memoryLookup(forKey: base) : await cache.entries.lookup(forKey: base)
            if case .variants(let current)? = found?.value { index = current }
            let (dropped, isChanged) = index.add(variant, maximumCount: cache.configuration.maximumVariants)
            guard isChanged else {
                defer { cache.entries.closeFence(fence) }
                return cache.entries.isIntact(fence) ? index : nil
            }
            // The index itself does not grow stale; a store drops it when it needs the room.
            if await cache.entries.publish(lasting(.variants(index)), forKey: base, fence: fence, behind: !isAwaited) {
                let keys = dropped.map { base.variantKey($0, in: index) }
                await cache.removeVariants(keys)
                return index
            }
        }
    }

    /// Adds rules by which parts of the query do not matter to those for the path.
    private func remember(_ rules: NoVarySearch, for response: StoredResponse) async -> Bool {
        let rulesKey = key.searchRulesKey
        while true {
            let fence = cache.entries.openFence(forKey: rulesKey)
            guard isIntact(for: response) else {
                cache.entries.closeFence(fence)
                return false
            }
            var all = await cache.searchRules(for: key)
            if all.first == rules {
                cache.entries.closeFence(fence)
                return true
            }
            all.removeAll { $0 == rules }
            all.insert(rules, at: 0)
            cache.mayHaveSearchRules.store(true, ordering: .releasing)
            let entry = HTTPCacheEntry.searchRules(Array(all.prefix(HTTPCacheEntry.maximumSearchRules)))
            if await cache.entries.publish(lasting(entry), forKey: rulesKey, fence: fence, behind: !isAwaited) { return true }
        }
    }

    /// An entry that says nothing of a response, and does not grow stale.
    private func lasting(_ entry: HTTPCacheEntry) -> CachedValue<HTTPCacheEntry> {
        CachedValue(entry, created: cache.clock.now(), freshUntil: nil, staleUntil: .forever, partition: space.partition)
    }

    /// The fence of the key, for a publication, which closes it when it is done.
    private func handOverFence() -> FenceTable<HTTPCacheKey>.Fence {
        state.withLock { $0.hasHandedOverFence = true }
        return fences.key
    }
}
