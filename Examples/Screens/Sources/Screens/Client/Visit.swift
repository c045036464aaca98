// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import HoardViews

/// The outcome of opening a screen.
struct Visit: Sendable {
    /// The cache's part in it, in one word.
    enum Outcome: String, CaseIterable, Sendable {
        /// It was kept, and valid.
        case hit
        /// It was fetched before it was needed.
        case prefetched
        /// It was not there: the server has sent it.
        case miss
        /// It was kept, and the server has confirmed it without sending it: 304.
        case renewed
        /// It was kept and is not valid any more. It is shown while the server is asked.
        case stale
        /// The server has sent another state of it.
        case changed
        /// It was kept, is not valid any more, and is shown because the server is away.
        case standIn = "stand-in"
        /// Nothing can be shown.
        case failed
    }

    let path: String
    let outcome: Outcome
    /// The same in a few words.
    let note: String
    /// `nil` if nothing can be shown.
    let text: ScreenText?
    /// The screens to which it leads that the server asks to prefetch.
    let prefetchPaths: [String]
    /// The requests that the server has seen of it; `nil` if the server is away.
    let requests: RequestCounts?

    /// - Parameter isChange: Whether the screen has been shown before, in another state.
    init(_ view: FetchedView, path: String, isChange: Bool, requests: RequestCounts?) {
        self.path = path
        self.requests = requests
        text = ScreenText(view.component)
        prefetchPaths = view.component.routes.filter(\.shouldPrefetch).map(\.url)
        (outcome, note) = Self.judgement(of: view, isChange: isChange)
    }

    init(_ error: ViewError, path: String, requests: RequestCounts?) {
        self.path = path
        self.requests = requests
        text = nil
        prefetchPaths = []
        outcome = .failed
        note = Self.words(error)
    }

    private static func words(_ error: ViewError) -> String {
        if error.networkError?.code == .unreachable { return "the server is away, and it is not kept" }
        if error.statusCode == 401 { return "the server wants to know who asks (401)" }
        if error.statusCode == 404 { return "the server has no such screen (404)" }
        return error.message
    }

    private static func judgement(of view: FetchedView, isChange: Bool) -> (Outcome, String) {
        if let staleness = view.staleness {
            let age = words(seconds: staleness.age.components.seconds)
            return staleness.isStandIn
                ? (.standIn, "the server is away; this is \(age) old") : (.stale, "\(age) old; the server is being asked")
        }
        switch view.source {
        case .memory: return (.hit, "from memory")
        case .cache: return (.hit, "kept as bytes, decoded now")
        case .prefetched: return (.prefetched, "fetched before it was asked for")
        case .renewed: return (.renewed, "not modified, says the server (304)")
        default: return isChange ? (.changed, "the server has another state of it") : (.miss, "sent by the server")
        }
    }

    /// `10 minutes`
    static func words(seconds: Int64) -> String {
        switch seconds {
        case ..<2: "a second"
        case ..<120: "\(seconds) seconds"
        case ..<7_200: "\(seconds / 60) minutes"
        default: "\(seconds / 3_600) hours"
        }
    }
}
