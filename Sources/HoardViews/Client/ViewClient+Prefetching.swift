// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP

extension ViewClient {
    /// Gets a screen before it is needed, so that a fetch finds it. May suspend.
    ///
    /// If the screen is kept and valid, no request is sent. The result is kept in memory for the next fetch for ``PrefetchOptions/keepsFor``, whatever its
    /// response says of its lifetime, and answers one fetch; besides, it is kept like any other. A fetch that comes while the prefetch is
    /// under way or waits for its turn joins it, raises its priority, and makes it count against no limit any more.
    ///
    /// - Returns: The outcome, and later whether it was of use. A prefetch that a limit prevents is no error.
    /// - Throws: ``ViewError``
    @discardableResult
    public func prefetch(_ request: ViewRequest, options: PrefetchOptions) async throws(ViewError) -> Prefetch {
        count { $0.prefetches += 1 }
        let plan = try plan(for: request)
        guard plan.isRepeatable else { return Prefetch(url: plan.url, outcome: .notRepeatable) }
        if !options.ignoresDataSaving, configuration.prefetchLimits.savesData() { return skipped(plan, .skippedToSaveData) }
        let interest = FlightInterest.prefetch(
            maximumBytes: options.maximumResponseBytes.map { max(0, $0) } ?? .max,
            keepsFor: options.keepsFor.saturatingNanoseconds
        )
        let answer = await flights.answer(
            ViewFlightKey(view: plan.key, purpose: .answer),
            for: interest,
            confirms: plan.confirms,
            priority: options.priority
        ) { [self] flight in
            await load(plan, flight)
        }
        switch answer {
        case .landed(.success(let view), let record):
            let outcome: Prefetch.Outcome =
                switch view.source {
                case _ where view.staleness != nil: .standIn
                case .network: .fetched
                case .renewed: .renewed
                default: .alreadyKept
                }
            return Prefetch(url: plan.url, outcome: outcome, byteCount: view.content.count, record: record)
        case .landed(.failure(let error), _):
            if error.isTooLarge { return skipped(plan, .skippedTooLarge) }
            throw error
        case .shelved(let view, let record):
            return Prefetch(url: plan.url, outcome: .alreadyKept, byteCount: view.content.count, record: record)
        case .refused:
            return skipped(plan, .skippedTooMany)
        }
    }

    /// Prefetches several screens at the same time, as far as the limits allow. Returns when all are over.
    ///
    /// - Returns: The outcome of each, in the order of the requests.
    @discardableResult
    public func prefetch(_ requests: some Sequence<ViewRequest>, options: PrefetchOptions = PrefetchOptions()) async -> PrefetchReport {
        await withTaskGroup(of: (Int, Result<Prefetch, ViewError>).self) { group in
            var count = 0
            for (index, request) in requests.enumerated() {
                count += 1
                group.addTask { [self] in
                    // Not in one expression with the index: docs/compiler-defects.md.
                    let result: Result<Prefetch, ViewError>
                    do throws(ViewError) {
                        result = .success(try await prefetch(request, options: options))
                    } catch {
                        result = .failure(error)
                    }
                    return (index, result)
                }
            }
            var results = [Result<Prefetch, ViewError>](repeating: .failure(.cancelled), count: count)
            for await (index, result) in group { results[index] = result }
            return PrefetchReport(results: results)
        }
    }

    private func skipped(_ plan: ViewPlan, _ outcome: Prefetch.Outcome) -> Prefetch {
        count { $0.skippedPrefetches += 1 }
        return Prefetch(url: plan.url, outcome: outcome)
    }
}
