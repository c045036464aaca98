// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ViewClientProtocol {
    /// A screen as it is kept, at once, and then as the server has it now, if that is another.
    ///
    /// ```swift
    /// for try await view in client.fetchUpdates("/home") { show(view) }
    /// ```
    ///
    /// A screen that is valid is the only element, unless the request revalidates. One that is kept and not valid any more comes first, with a ``FetchedView/staleness``; it is followed by the
    /// server's, unless the server confirms it. If the server is away, it comes a second time as a stand-in, if it may stand in. If nothing is kept,
    /// the server's screen is the only element.
    ///
    /// The caller's task asks the server when it asks for the second element. A caller that stops reading sends no request, and nothing goes on in the
    /// background.
    /// Clients that are no ``ViewClient`` give only the screen that they fetch.
    public func fetchUpdates(_ request: ViewRequest) -> ViewUpdates {
        ViewUpdates(client: self, request: request)
    }
}

extension ViewClient {
    /// The screen as it is kept; `nil` if nothing is kept that may be shown.
    fileprivate func keptView(_ request: ViewRequest) async throws(ViewError) -> FetchedView? {
        let plan = try plan(for: request)
        guard plan.isRepeatable else { return nil }
        if !plan.confirms, case .shelved(let view) = flights.find(plan.key) { return view.prefetched(at: clock.now()) }
        let key = ViewFlightKey(view: plan.key, purpose: .kept)
        let answer = await flights.answer(key, for: .fetch, priority: Task.currentPriority) { [self] flight in await loadKept(plan, flight) }
        if Task.isCancelled { throw .cancelled }
        return try? view(answer)
    }
}

/// The views of ``ViewClientProtocol/fetchUpdates(_:)``: one or two, or an error.
public struct ViewUpdates: AsyncSequence, Sendable {
    public typealias Element = FetchedView
    public typealias Failure = ViewError

    fileprivate let client: any ViewClientProtocol
    fileprivate let request: ViewRequest
    /// Whether a screen that the server has confirmed comes once more, without a staleness.
    package var includesConfirmations = false

    fileprivate init(client: any ViewClientProtocol, request: ViewRequest) {
        self.client = client
        self.request = request
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(client: client, request: request, includesConfirmations: includesConfirmations)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Stage {
            case start
            case shown(FetchedView)
            case ended
        }

        private let client: any ViewClientProtocol
        private let request: ViewRequest
        private let includesConfirmations: Bool
        private var stage = Stage.start

        fileprivate init(client: any ViewClientProtocol, request: ViewRequest, includesConfirmations: Bool) {
            self.client = client
            self.request = request
            self.includesConfirmations = includesConfirmations
        }

        public mutating func next() async throws(ViewError) -> FetchedView? {
            try await next(isolation: nil)
        }

        /// The next view. May suspend.
        ///
        /// - Throws: ``ViewError``; then there is no further element.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ViewError) -> FetchedView? {
            let current = stage
            stage = .ended
            switch current {
            case .ended:
                return nil
            case .start:
                guard let own = client as? ViewClient, let kept = try await own.keptView(request) else { return try await client.fetch(request) }
                let confirms = try own.plan(for: request).confirms
                if kept.staleness != nil || confirms { stage = .shown(kept) }
                return kept
            case .shown(let shown):
                let view = try await client.fetch(request)
                return view.isSameState(as: shown) && view.staleness == nil && !includesConfirmations ? nil : view
            }
        }
    }
}
