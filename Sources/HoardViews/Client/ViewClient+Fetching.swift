// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ViewClient {
    /// Gets a screen. May suspend.
    ///
    /// If it is kept and valid, no request is sent. If the server is away, a screen that is not valid any more may stand in, and says so:
    /// ``FetchedView/staleness``.
    ///
    /// The cache manager and the component coder are called outside all locks. A cancelled caller gets its error at once.
    ///
    /// - Throws: ``ViewError``
    public func fetch(_ request: ViewRequest) async throws(ViewError) -> FetchedView {
        count { $0.fetches += 1 }
        do {
            let view = try await view(for: request)
            count { $0.count(view) }
            return view
        } catch {
            count { if error.code == .cancelled { $0.cancellations += 1 } else { $0.failures += 1 } }
            throw error
        }
    }

    private func view(for request: ViewRequest) async throws(ViewError) -> FetchedView {
        let plan = try plan(for: request)
        guard plan.isRepeatable else { return try await sendOnce(plan) }
        if !plan.confirms {
            switch flights.find(plan.key) {
            case .shelved(let view): return view.prefetched(at: clock.now())
            case .nothing: if let view = await viewInMemory(plan) { return view }
            case .underWay: break
            }
        }
        let answer = await flights.answer(
            ViewFlightKey(view: plan.key, purpose: .answer),
            for: .fetch,
            confirms: plan.confirms,
            priority: Task.currentPriority
        ) { [self] flight in
            await load(plan, flight)
        }
        return try view(answer)
    }

    func view(_ answer: ViewFlights.Answer) throws(ViewError) -> FetchedView {
        switch answer {
        case .landed(let result, _): try result.get()
        case .shelved(let view, _): view.prefetched(at: clock.now())
        // Only prefetches are refused.
        case .refused: throw .cancelled
        }
    }

    /// A valid screen that is kept and has been decoded: found without a load. Suspends only as far as the cache manager does.
    private func viewInMemory(_ plan: ViewPlan) async -> FetchedView? {
        guard let screen = decoded.value(forKey: plan.key) else { return nil }
        guard let reference = await keptReference(plan) else {
            return viewInMemoryOfHTTP(screen, plan)
        }
        guard reference.data == screen.content, dependencies.cache?.isValid(reference: reference) == true else { return nil }
        return view(of: reference, screen.component, .memory, plan)
    }

    /// Sends a request whose answer is for its caller alone.
    private func sendOnce(_ plan: ViewPlan) async throws(ViewError) -> FetchedView {
        let limit = max(0, configuration.maximumResponseBytes)
        do throws(ViewError) {
            let reply = try await send(plan, mode: .default, knowing: nil) { $0 > limit ? limit : nil }
            guard reply.isSuccess else { throw ViewError(statusCode: reply.head.status.code) }
            let component = try decode(reply.content)
            return view(of: reply, component, .network, plan)
        } catch {
            throw Task.isCancelled ? .cancelled : error
        }
    }

    /// Removes the answers that a change may have made wrong: the screen at its URL, as it was requested with these fields or with none ([RFC 9111
    /// §4.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.4)). The caching client does the same for the responses that it keeps.
    func removeAnswersAfterChange(_ plan: ViewPlan) async {
        if plan.head.method.isSafe { return }
        for address in Set([plan.key.address, plan.url]) {
            for isSensitive in [false, true] {
                await removeKept(ViewKey(address: address, partition: plan.key.partition?.text, isSensitive: isSensitive))
            }
        }
    }

    /// Calls the component coder.
    func decode(_ content: Data) throws(ViewError) -> any ServerDrivenComponent {
        count { $0.decodings += 1 }
        do throws(ComponentCodingError) {
            return try dependencies.coder.decode(content)
        } catch {
            throw ViewError(error)
        }
    }
}

extension ViewClientStatistics {
    fileprivate mutating func count(_ view: FetchedView) {
        switch view.source {
        case .memory: memoryHits += 1
        case .cache: cacheHits += 1
        case .prefetched: prefetchedUses += 1
        case .renewed: renewals += 1
        default: misses += 1
        }
        if view.staleness?.isStandIn == true { standIns += 1 }
    }
}
