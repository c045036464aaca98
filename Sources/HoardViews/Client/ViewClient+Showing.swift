// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Showing screens that are kept, and those that have arrived.
extension ViewClient {
    func standIn(
        for error: ViewError,
        _ kept: CacheReference,
        _ plan: ViewPlan,
        _ flight: FlightID
    ) async throws(ViewError) -> FetchedView {
        let age = kept.timeOfCreation.age(at: clock.now())
        let isValid = dependencies.cache?.isValid(reference: kept) == true
        // Not negative where the clock has been set back: a limit of zero allows nothing.
        let staleness = max(.zero, age - .seconds(max(0, kept.maxAge ?? 0)))
        guard isValid || !kept.mustRevalidate, isValid || staleness < .seconds(configuration.staleIfUnreachable.saturatingComponents.seconds) else {
            throw error
        }
        let (component, wasDecoded) = try await component(of: kept.data, plan, flight)
        log("The server is away; a kept screen stands in.", error)
        return view(of: kept, component, wasDecoded ? .memory : .cache, plan, .standIn(for: error, age: age))
    }

    /// The caching client's copy, for a server that is too slow or breaks off. The caching client itself handles a server that cannot be reached.
    func standInOfHTTP(for error: ViewError, _ plan: ViewPlan, _ flight: FlightID) async -> FetchedView? {
        guard plan.isRepeatable, let limit = dependencies.client?.cache.configuration.staleIfUnreachable,
            let reply = try? await ask(plan, flight, mode: .onlyIfCached, knowing: nil), reply.isSuccess, reply.isFromCache,
            reply.staleness.map({ !reply.terms.mustRevalidate && $0.seconds <= limit.saturatingComponents.seconds }) ?? true,
            let (component, wasDecoded) = try? await component(of: reply.content, plan, flight)
        else { return nil }
        log("The server is away; a kept screen stands in.", error)
        let age = reply.terms.created.age(at: clock.now())
        return view(of: reply, component, wasDecoded ? .memory : .cache, plan, .standIn(for: error, age: age))
    }

    /// The screen as it is kept, valid or not, without asking the server.
    ///
    /// - Returns: A failure if nothing is kept that may be shown.
    func loadKept(_ plan: ViewPlan, _ flight: FlightID) async -> Result<FetchedView, ViewError> {
        do throws(ViewError) {
            if let kept = await keptReference(plan) {
                let isValid = dependencies.cache?.isValid(reference: kept) == true
                guard isValid || !kept.mustRevalidate else { throw .nothingKept }
                let (component, wasDecoded) = try await component(of: kept.data, plan, flight)
                let staleness = isValid ? nil : FetchedView.Staleness.whileRefreshed(age: kept.timeOfCreation.age(at: clock.now()))
                return .success(view(of: kept, component, wasDecoded ? .memory : .cache, plan, staleness))
            }
            let limit = max(0, configuration.maximumResponseBytes)
            let reply = try await send(plan, mode: .onlyIfCached, knowing: nil) { $0 > limit ? limit : nil }
            guard reply.isSuccess, reply.staleness == nil || !reply.terms.mustRevalidate else { throw .nothingKept }
            let (component, wasDecoded) = try await component(of: reply.content, plan, flight)
            let staleness = reply.staleness.map { _ in FetchedView.Staleness.whileRefreshed(age: reply.terms.created.age(at: clock.now())) }
            return .success(view(of: reply, component, wasDecoded ? .memory : .cache, plan, staleness))
        } catch {
            return .failure(error)
        }
    }

    func view(
        of reference: CacheReference,
        _ component: any ServerDrivenComponent,
        _ source: FetchedView.Source,
        _ plan: ViewPlan,
        _ staleness: FetchedView.Staleness? = nil
    ) -> FetchedView {
        FetchedView(
            component: component,
            source: source,
            staleness: staleness,
            hash: reference.hash,
            url: plan.url,
            created: reference.timeOfCreation,
            now: clock.now(),
            content: reference.data
        )
    }

    func view(
        of reply: ViewReply,
        _ component: any ServerDrivenComponent,
        _ source: FetchedView.Source,
        _ plan: ViewPlan,
        _ staleness: FetchedView.Staleness? = nil
    ) -> FetchedView {
        FetchedView(
            component: component,
            source: source,
            staleness: staleness,
            hash: hash(of: reply),
            url: plan.url,
            created: reply.terms.created,
            now: clock.now(),
            content: reply.content
        )
    }
}

extension ViewError {
    static var nothingKept: ViewError { ViewError(.network, "Nothing is kept that may be shown.") }
}

extension CacheReference {
    /// The same state, confirmed by the server. Terms that it does not state stay as they were:
    /// [RFC 9111 §3.2](https://www.rfc-editor.org/rfc/rfc9111#section-3.2).
    func renewed(by terms: KeepingTerms, isSensitive: Bool) -> CacheReference {
        CacheReference(
            identifier: identifier,
            data: data,
            hash: hash,
            maxAge: terms.isExplicit ? terms.maxAge : maxAge,
            timeOfCreation: terms.created,
            partition: partition,
            isSensitive: isSensitive,
            mustRevalidate: terms.isExplicit ? terms.mustRevalidate : mustRevalidate
        )
    }
}

extension FetchedView.Staleness {
    init(_ staleness: HTTPCacheResponse.Staleness, age: Duration) {
        self.init(age: age, isStandIn: staleness.isStandIn, reason: staleness.reason)
    }

    static func standIn(for error: ViewError, age: Duration) -> Self {
        Self(age: age, isStandIn: true, reason: "The server is away: \(error.message)")
    }

    static func whileRefreshed(age: Duration) -> Self {
        Self(age: age, isStandIn: false, reason: "It is shown while the server is asked for a newer one.")
    }
}
