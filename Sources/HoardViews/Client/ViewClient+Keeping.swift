// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Keeping answers: which part of them, and where.
extension ViewClient {
    /// The reference that is kept for a request, valid or not.
    func keptReference(_ plan: ViewPlan) async -> CacheReference? {
        guard hashField != nil, let reference = await dependencies.cache?.getReference(identifiedBy: plan.key.identifier),
            reference.isSensitive == plan.key.isSensitive
        else { return nil }
        return reference
    }

    /// The response as the cache manager gets it; `nil` if it is not to be kept by it.
    func reference(_ reply: ViewReply, _ hash: String?, _ plan: ViewPlan) -> CacheReference? {
        let terms = reply.terms
        // A response that a redirect has led to answers another request.
        guard let hash, terms.mayBeKept, !reply.isRedirected else { return nil }
        return CacheReference(
            identifier: plan.key.identifier,
            data: reply.content,
            hash: hash,
            maxAge: terms.maxAge,
            timeOfCreation: terms.created,
            partition: plan.key.partition?.text,
            isSensitive: plan.key.isSensitive,
            mustRevalidate: terms.mustRevalidate
        )
    }

    /// Keeps a reference in place of the one that is kept, or only removes that.
    ///
    /// - Parameter isNew: Whether it is another state, and not a confirmation.
    func keep(_ reference: CacheReference?, isNew: Bool, _ plan: ViewPlan, _ flight: FlightID) async {
        guard let cache = dependencies.cache else { return }
        await flights.publish(flight) {
            guard let reference else { return await cache.removeReference(identifiedBy: plan.key.identifier) }
            await cache.addToCache(reference)
            // A screen is kept once. The caching client's copy of it would also outlive the reference, and be older by
            // then.
            if isNew { await removeFromHTTP(plan) }
        }
    }

    /// The component of some bytes, and whether they had been decoded before.
    func component(
        of content: Data,
        _ plan: ViewPlan,
        _ flight: FlightID
    ) async throws(ViewError) -> (any ServerDrivenComponent, wasDecoded: Bool) {
        if let screen = decoded.value(forKey: plan.key), screen.content == content { return (screen.component, true) }
        let component = try decode(content)
        let screen = DecodedScreen(content: content, component: component)
        await flights.publish(flight) { decoded.insert(screen, forKey: plan.key, tags: Self.tags(of: plan.key)) }
        return (component, false)
    }

    /// The tag of decoded screens by which a partition is removed.
    static func tags(of key: ViewKey) -> Set<String> {
        key.partition.map { [$0.label] } ?? []
    }
}
