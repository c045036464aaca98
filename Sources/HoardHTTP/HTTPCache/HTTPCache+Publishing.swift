// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension HTTPCache {
    /// Writes a response with the dates and tags that follow from it. Returns when memory has it.
    ///
    /// - Parameters:
    ///   - old: The response that memory has now; `nil` if it has none, or that is not known.
    ///   - behind: Whether the stores get it in the background. Otherwise they have it, too, when this returns.
    /// - Returns: Whether the fence was intact.
    func publish(
        _ response: StoredResponse,
        forKey key: HTTPCacheKey,
        of partition: String?,
        fence: FenceTable<HTTPCacheKey>.Fence,
        inPlaceOf old: StoredResponse?,
        behind: Bool = true
    ) async -> Bool {
        let cached = cachedValue(of: response.packed, forKey: key, partition)
        if behind, let old, storesMayKeep(old, insteadOf: response, forKey: key) {
            return entries.publishToMemoryAlone(cached, forKey: key, fence: fence)
        }
        return await entries.publish(cached, forKey: key, fence: fence, behind: behind)
    }

    /// The same for a packed response, behind and without suspending.
    ///
    /// - Returns: `nil` if the stores are too far behind. Then nothing has been done, and the fence is open.
    func publishAtOnce(
        _ response: StoredResponse,
        forKey key: HTTPCacheKey,
        of partition: String?,
        fence: FenceTable<HTTPCacheKey>.Fence,
        inPlaceOf old: StoredResponse?
    ) -> Bool? {
        let cached = cachedValue(of: response, forKey: key, partition)
        if let old, storesMayKeep(old, insteadOf: response, forKey: key) {
            return entries.publishToMemoryAlone(cached, forKey: key, fence: fence)
        }
        return entries.publishAtOnce(cached, forKey: key, fence: fence)
    }

    private func cachedValue(of response: StoredResponse, forKey key: HTTPCacheKey, _ partition: String?) -> CachedValue<HTTPCacheEntry> {
        if dictionaries != nil { rememberDictionary(response, forKey: key) }
        if key.isQuery { mayHaveQueries.store(true, ordering: .releasing) }
        let (freshUntil, keptUntil) = lifetime(of: response)
        return CachedValue(
            HTTPCacheEntry.response(response),
            created: response.responseTime,
            freshUntil: freshUntil,
            staleUntil: .date(keptUntil),
            tags: tags(of: response, forKey: key),
            partition: partition
        )
    }

    /// The times until which a response is fresh, and until which it is kept.
    ///
    /// A stale response is kept as long as it may be of use. It may be revalidated if it has a validator, or served by `stale-while-revalidate`, by
    /// `stale-if-error` ([RFC 5861](https://www.rfc-editor.org/rfc/rfc5861)) or in place of an origin that cannot be reached.
    func lifetime(of response: StoredResponse) -> (freshUntil: Date, keptUntil: Date) {
        let freshness = response.freshness
        let freshUntil = response.responseTime.addingTimeInterval(freshness.timeToLive(at: response.responseTime))
        let stale = stalePeriods(of: response).reduce(0, max)
        var keptUntil = stale > 0 ? max(freshUntil, response.responseTime).addingTimeInterval(stale) : freshUntil
        // A response that refers to segments is not kept any longer than they are.
        for reference in response.body.references { keptUntil = min(keptUntil, reference.keptUntil) }
        return (min(freshUntil, keptUntil), keptUntil)
    }

    /// For how many seconds a response is of use once it is stale, in each way in which it may be.
    func stalePeriods(of response: StoredResponse) -> [TimeInterval] {
        var periods: [TimeInterval] = []
        if response.hasValidators { periods.append(TimeInterval(configuration.revalidationPeriod.saturatingComponents.seconds)) }
        guard response.freshness.staleProhibition == nil else { return periods }
        let directives = response.freshness.cacheControl
        for seconds in [directives.staleWhileRevalidate ?? 0, directives.staleIfError ?? 0, rules.staleIfUnreachable] {
            periods.append(TimeInterval(seconds))
        }
        return periods
    }

    /// The time until which the segments of a response are kept: longer than itself, so that it can be confirmed and kept on.
    func segmentsKeptUntil(_ response: StoredResponse) -> Date {
        let now = clock.now()
        let period = max(0, lifetime(of: response).keptUntil.timeIntervalSince(now))
        return now.addingTimeInterval(period * 2 + 86_400)
    }

    /// Removes variants that an index has dropped, with the segments of which memory knows.
    func removeVariants(_ keys: [HTTPCacheKey]) async {
        if keys.isEmpty { return }
        let references = keys.flatMap { self.references(at: $0) }
        await entries.removeValues(forKeys: keys)
        for reference in references { segments.remove(reference) }
    }

    /// Returns the references of the response under a key, if memory has it.
    func references(at key: HTTPCacheKey) -> [BodyReference] {
        if case .response(let response)? = entries.memoryLookup(forKey: key)?.value { response.body.references } else { [] }
    }
}
