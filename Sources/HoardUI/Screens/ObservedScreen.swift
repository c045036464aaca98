// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardViews
public import Observation

/// A screen that a server describes, as a view shows it: the kept one at once, then the server's present one.
///
/// ```swift
/// let home = ObservedScreen(client, ViewRequest("/home"))
/// await home.run()
/// print(home.view?.component ?? home.error)
/// ```
///
/// When a screen is shown, the screens that it leads to are prefetched, those of which the server wants it.
@MainActor @Observable public final class ObservedScreen {
    /// The request for the screen.
    public let request: ViewRequest
    /// The newest state of the screen; `nil`: there is none yet.
    public private(set) var view: FetchedView?
    /// The error of the last fetch; `nil` if it did not fail. The screen that was there stays.
    public private(set) var error: ViewError?
    /// Whether a fetch is under way.
    public var isLoading: Bool { loadCount > 0 }
    private var loadCount = 0

    @ObservationIgnored private let client: any ViewClientProtocol
    @ObservationIgnored private let prefetchesRoutes: Bool
    /// The number of the fetch that began last.
    @ObservationIgnored private var lastFetch = 0
    /// The number of the fetch whose answer is shown.
    @ObservationIgnored private var shownFetch = 0

    /// Creates a model. Nothing is fetched before it runs.
    ///
    /// - Parameter prefetchesRoutes: Whether screens that this one leads to are prefetched.
    public init(_ client: any ViewClientProtocol, _ request: ViewRequest, prefetchesRoutes: Bool = true) {
        self.client = client
        self.request = request
        self.prefetchesRoutes = prefetchesRoutes
    }

    /// Shows the kept screen, then the server's, and prefetches. Returns when that is done: for the modifier `task` of
    /// a view.
    public func run() async {
        await fetch(request)
        if !Task.isCancelled, error == nil { await prefetch() }
    }

    /// Asks the server, whatever is kept: for the modifier `refreshable` of a view.
    ///
    /// - Returns: Whether the server has sent a screen, or confirmed the one that is shown.
    @discardableResult public func refresh() async -> Bool {
        var request = request
        request.revalidates = true
        return await fetch(request)
    }

    /// - Returns: Whether the last screen that came is valid.
    @discardableResult private func fetch(_ request: ViewRequest) async -> Bool {
        lastFetch += 1
        let number = lastFetch
        loadCount += 1
        defer { loadCount -= 1 }
        var updates = client.fetchUpdates(request)
        updates.includesConfirmations = true
        var isValid = false
        let shownBefore = shownFetch
        do throws(ViewError) {
            for try await view in updates {
                // A screen that a later fetch has brought is newer.
                if Task.isCancelled || number < shownFetch { return false }
                if view.staleness?.isStandIn == false {
                    // It was kept. What the server sends to an earlier fetch is newer.
                    if shownFetch == shownBefore { show(view) }
                    isValid = false
                    continue
                }
                shownFetch = number
                isValid = view.staleness == nil
                show(view)
            }
        } catch {
            if !Task.isCancelled, number == lastFetch, error.code != .cancelled { self.error = error }
            return false
        }
        if number >= shownFetch, error != nil { error = nil }
        return isValid
    }

    private func show(_ view: FetchedView) {
        if let shown = self.view, shown.isSameState(as: view), shown.staleness == view.staleness { return }
        self.view = view
    }

    private func prefetch() async {
        guard prefetchesRoutes, let view else { return }
        let (client, request) = (client, request)
        await withTaskGroup(of: Void.self) { group in
            for route in view.component.routes where route.shouldPrefetch {
                group.addTask { _ = try? await client.prefetch(request.following(route)) }
            }
        }
    }
}

extension ViewRequest {
    /// The request for a screen that this one leads to: by the same user, with the same fields.
    public func following(_ route: ComponentRoute) -> ViewRequest {
        var next = self
        next.path = route.url
        next.revalidates = false
        next.additionalData = additionalData.map { HTTPAdditionalData(headers: $0.headers) }
        return next
    }
}
