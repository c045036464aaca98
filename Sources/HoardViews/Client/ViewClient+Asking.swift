// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP

/// Asking the server, about the kept screen or anew.
extension ViewClient {
    /// Asks whether there is a newer state than the one that is kept.
    func askAbout(_ kept: CacheReference, _ plan: ViewPlan, _ flight: FlightID) async throws(ViewError) -> FetchedView {
        // The caching client looks at nothing that it keeps, as its own validators would be mixed with the hash.
        let reply = try await ask(plan, flight, mode: .noStore, knowing: kept.hash)
        guard reply.head.status == .notModified else { return try await received(reply, plan, flight, hasKept: true) }
        guard hash(of: reply).map({ $0 == kept.hash }) ?? true, !reply.isRedirected,
            let (component, _) = try? await component(of: kept.data, plan, flight)
        else {
            // It confirms another screen than the one in question, or one that cannot be shown.
            return try await askAnew(plan, flight, hasKept: true)
        }
        let renewed = kept.renewed(by: reply.terms, isSensitive: plan.key.isSensitive)
        await keep(reply.terms.mayBeKept ? renewed : nil, isNew: false, plan, flight)
        return view(of: renewed, component, .renewed, plan)
    }

    /// Asks whether there is a newer state than the one that the caching client may have.
    func confirmByHTTP(_ plan: ViewPlan, _ flight: FlightID) async throws(ViewError) -> FetchedView {
        do throws(ViewError) {
            return try await received(try await ask(plan, flight, mode: .noCache, knowing: nil), plan, flight, hasKept: false)
        } catch {
            // A response that the caching client may show without asking the server stands in.
            guard error.meansServerIsAway, let reply = try? await ask(plan, flight, mode: .default, knowing: nil), reply.isFromCache,
                let view = try? await received(reply, plan, flight, hasKept: false)
            else { throw error }
            return self.view(of: reply, view.component, view.source, plan, .standIn(for: error, age: view.age ?? .zero))
        }
    }

    /// Asks for the screen without a hash.
    func askAnew(_ plan: ViewPlan, _ flight: FlightID, hasKept: Bool) async throws(ViewError) -> FetchedView {
        let reply = try await ask(plan, flight, mode: hasKept ? .reload : .default, knowing: nil)
        return try await received(reply, plan, flight, hasKept: hasKept)
    }

    func ask(
        _ plan: ViewPlan,
        _ flight: FlightID,
        mode: RequestCacheMode,
        knowing hash: String?
    ) async throws(ViewError) -> ViewReply {
        let limit = max(0, configuration.maximumResponseBytes)
        // If the screen has been removed since the load began, the caching client must not store it either.
        let isFenced = flights.isFenced(flight)
        let reply: Result<ViewReply, ViewError>
        do throws(ViewError) {
            reply = .success(
                // A request that is not sent brings nothing to store.
                try await send(plan, mode: isFenced && mode != .onlyIfCached ? .noStore : mode, knowing: hash) { [flights] bytes in
                    flights.mayGiveUp(flight, bytes: bytes, limit: limit) ? flights.maximumBytes(flight, limit: limit) : nil
                }
            )
        } catch {
            reply = .failure(error)
        }
        if !isFenced, flights.isFenced(flight) {
            // Of a load that was only overtaken, nothing replaces a newer response, and one that has not come leaves what may stand in. But a
            // response with a hash is not for the caching client.
            let isForManager = (try? reply.get()).map { self.hash(of: $0) != nil } ?? false
            if isForManager || flights.isRemoved(flight) { await removeFromHTTP(plan) }
        }
        return try reply.get()
    }

    /// Removes the responses that the caching client may have stored for the URL.
    func removeFromHTTP(_ plan: ViewPlan) async {
        guard let http = dependencies.client?.cache else { return }
        if plan.key.isSensitive {
            await http.removeKeptInMemoryOnly(plan.url, partition: plan.key.partition(in: http))
        } else {
            await http.remove(plan.url, partition: plan.key.partition(in: http))
        }
    }

    /// Decodes the reply, and keeps it if it is a component and may be kept.
    func received(_ reply: ViewReply, _ plan: ViewPlan, _ flight: FlightID, hasKept: Bool) async throws(ViewError) -> FetchedView {
        guard reply.isSuccess else {
            let code = reply.head.status.code
            // The server has taken the screen back. The kept screen is not shown any more, not even when the server is
            // away.
            if hasKept, [401, 403, 404, 410].contains(code) { await keep(nil, isNew: false, plan, flight) }
            throw ViewError(statusCode: code)
        }
        let hash = hash(of: reply)
        let component: any ServerDrivenComponent
        let wasDecoded: Bool
        do throws(ViewError) {
            (component, wasDecoded) = try await self.component(of: reply.content, plan, flight)
        } catch {
            // HTTP has stored it, as it knows nothing of components. It is not to answer until its lifetime is over.
            await removeFromHTTP(plan)
            guard reply.isFromCache else { throw error }
            return try await askAnew(plan, flight, hasKept: true)
        }
        if reply.staleness == nil {
            let reference = self.reference(reply, hash, plan)
            if reference != nil || hasKept { await keep(reference, isNew: true, plan, flight) }
        }
        let source: FetchedView.Source =
            reply.isConfirmed ? .renewed : !reply.isFromCache ? .network : wasDecoded ? .memory : .cache
        return view(
            of: reply,
            component,
            source,
            plan,
            reply.staleness.map { FetchedView.Staleness($0, age: reply.terms.created.age(at: clock.now())) }
        )
    }
}
