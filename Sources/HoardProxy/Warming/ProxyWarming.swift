// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import HoardNIO
internal import Logging
internal import Synchronization

/// Has a proxy ask itself for URLs, so that it has them before a client asks. One warm-up at a time.
///
/// Requests take the way that those of a client at 127.0.0.1 take, with their routes and rules, but over no connection. They are not in the statistics of
/// requests, in the access log or in traces.
final class ProxyWarming: Sendable {
    /// The result of ``start(_:)``.
    enum Beginning: Sendable {
        case begun
        /// There is another one.
        case isRunning
        /// The proxy ends.
        case isEnding
    }

    private struct State {
        var progress: Progress?
        var task: Task<Void, Never>?
        /// Begins as soon as the warm-up under way has been ended.
        var next: Request?
        /// When the proxy asked for the first time, and until when readiness waits.
        var waitStart: Int64?
        var waitEnd: Int64 = .min
        var hasEnded = false
    }

    private let handler: ProxyHandler
    private let ticker: any Ticker
    private let state = Mutex(State())

    init(handler: ProxyHandler, ticker: any Ticker = MonotonicTicker()) {
        self.handler = handler
        self.ticker = ticker
    }

    /// `nil`: there has been no warm-up.
    var progress: Progress? { state.withLock { $0.progress } }

    /// The reason why readiness should wait, in one sentence; `nil`: it need not.
    var reasonToWait: String? {
        let (progress, waitEnd) = state.withLock { ($0.progress, $0.waitEnd) }
        guard let progress, progress.isRunning, ticker.nanoseconds() < waitEnd else { return nil }
        let total = progress.total.map(String.init) ?? "an unknown number of"
        return "The cache is being warmed: \(progress.report.urls) of \(total) URLs have been asked for."
    }

    /// Begins a warm-up, unless there is another one.
    func start(_ request: Request) -> Beginning {
        state.withLock { state in
            if state.hasEnded { return .isEnding }
            if state.progress?.isRunning == true { return .isRunning }
            begin(request, &state)
            return .begun
        }
    }

    /// Puts another warm-up, or none, in the place of the one under way. Does not wait for the end of that.
    ///
    /// Readiness goes on waiting if it waits, for as long since the start as the other one says.
    func replace(with request: Request?) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            guard state.progress?.isRunning == true else {
                if let request { begin(request, &state) }
                return
            }
            state.next = request
            state.progress?.isCancelled = true
            state.task?.cancel()
        }
    }

    /// Ends the warm-up that is under way, if there is one, and waits for that. Suspends.
    func cancel() async {
        stop(forever: false)
        await waitUntilOver()
    }

    /// Ends the warm-up that is under way, and lets none begin any more. Does not wait.
    func stop() {
        stop(forever: true)
    }

    private func stop(forever: Bool) {
        state.withLock { state in
            if forever { state.hasEnded = true }
            state.next = nil
            if state.progress?.isRunning == true { state.progress?.isCancelled = true }
            state.task?.cancel()
        }
    }

    /// Waits for the end of the warm-up that is under way. Suspends.
    func waitUntilOver() async {
        await state.withLock { $0.task }?.value
    }

    private func begin(_ request: Request, _ state: inout State) {
        let now = ticker.nanoseconds()
        // Clients are not kept away for a later warm-up, unless they still are for an earlier one.
        let waitStart = state.waitStart == nil ? now : now < state.waitEnd && state.progress?.isRunning == true ? state.waitStart : nil
        state.waitEnd = waitStart.map { $0.addingSaturated(request.readinessWait.saturatingNanoseconds) } ?? .min
        state.waitStart = state.waitStart ?? now
        state.progress = Progress()
        state.task = startTask(priority: .utility) { [self, waitEnd = state.waitEnd] in await run(request, until: waitEnd) }
    }

    // MARK: The work

    /// - Parameter end: Until then, requests that may work later are tried again.
    private func run(_ request: Request, until end: Int64) async {
        let start = ticker.nanoseconds()
        let warming = warming(request.fields)
        var pages: [String] = []
        var seen: Set<String> = []
        for text in request.urls where !Task.isCancelled {
            do throws(Warming.Problem) {
                let url = try absolute(text)
                if seen.insert(url).inserted { pages.append(url) }
            } catch {
                update { $0.report.add(.failed(error.description), byteCount: 0) }
                fail(text, error.description)
            }
        }
        var sitemaps = request.sitemaps
        var pause = Int64(500_000_000)
        while !Task.isCancelled {
            let mayTryAgain = ticker.nanoseconds().addingSaturated(pause) < end
            var later: (sitemaps: [String], pages: [String]) = ([], [])
            for sitemap in sitemaps where !Task.isCancelled {
                do throws(Warming.Problem) {
                    let found = await warming.pages(ofSitemap: try absolute(sitemap)) { url, problem in
                        if mayTryAgain, problem.mayPass { later.sitemaps.append(url) } else { failSitemap(url, problem) }
                    }
                    pages += found.filter { seen.insert($0).inserted }
                } catch {
                    failSitemap(sitemap, error)
                }
            }
            update { $0.total = later.sitemaps.isEmpty ? $0.report.urls + pages.count : nil }
            await warming.visit(pages, concurrency: request.concurrency, rate: request.rate) { visit in
                if mayTryAgain, visit.mayPass { return later.pages.append(visit.url) }
                update { progress in
                    progress.report.add(visit.outcome, byteCount: visit.byteCount)
                    progress.report.milliseconds = milliseconds(since: start)
                }
                if case .failed(let reason) = visit.outcome { fail(visit.url, reason) }
            }
            (sitemaps, pages) = later
            if sitemaps.isEmpty, pages.isEmpty { break }
            try? await ticker.sleep(for: .nanoseconds(pause))
            pause = min(2 * pause, 8_000_000_000)
        }
        finish(start)
    }

    private func finish(_ start: Int64) {
        let progress = state.withLock { state -> Progress? in
            state.progress?.report.milliseconds = milliseconds(since: start)
            let next = state.next
            state.next = nil
            if let next { begin(next, &state) } else { state.progress?.isRunning = false }
            return next == nil ? state.progress : nil
        }
        guard let progress else { return }
        let failed = progress.report.failed + progress.failedSitemaps
        handler.logger.log(
            level: failed > 0 ? .warning : .notice,
            progress.isCancelled ? "Warming the cache was ended." : "The cache has been warmed.",
            metadata: [
                "urls": "\(progress.report.urls)", "stored": "\(progress.report.stored)", "cached": "\(progress.report.hits)",
                "notStored": "\(progress.report.notStored)", "failed": "\(progress.report.failed)", "failedSitemaps": "\(progress.failedSitemaps)",
            ]
        )
    }

    private func milliseconds(since start: Int64) -> Int { Int((ticker.nanoseconds() - start) / 1_000_000) }

    private func update(_ change: (inout Progress) -> Void) {
        state.withLock { state in
            guard var progress = state.progress else { return }
            state.progress = nil
            change(&progress)
            state.progress = progress
        }
    }

    private func failSitemap(_ url: String, _ problem: Warming.Problem) {
        update { $0.failedSitemaps += 1 }
        fail(url, problem.description)
    }

    private func fail(_ url: String, _ reason: String) {
        update { $0.add(.init(url: url, reason: reason)) }
    }

    // MARK: Requests

    /// The URL that is meant by a URL, or by a path alone.
    private func absolute(_ text: String) throws(Warming.Problem) -> String {
        guard text.utf8.first == UInt8(ascii: "/") else {
            if TargetURI.normalized(text) != nil { return text }
            throw Warming.Problem(description: "This is neither a path nor an http or https URL with a host.")
        }
        let routes = handler.routes.current
        // Where clients may come in both ways, they are sent to the encrypted one sooner or later.
        let scheme = routes.clientSchemes.contains("https") ? "https" : "http"
        if case .hostIsMissing = routes.cacheURIs(for: text) { throw Self.hostIsMissing }
        if case .unknownHost = routes.match(authority: "localhost", target: text) { throw Self.hostIsMissing }
        return "\(scheme)://localhost\(text)"
    }

    private static var hostIsMissing: Warming.Problem {
        .init(description: "What is asked for by this path depends on the host; give the URL with its host.")
    }

    private func warming(_ fields: HTTPFields) -> Warming {
        Warming(ticker: ticker) { [handler] target in
            let schemes = handler.routes.current.clientSchemes
            let head = HTTPRequest(
                method: .get,
                // Servers are told how a client came, and may answer by it. No client comes in another way.
                scheme: schemes.contains(target.scheme) ? target.scheme : schemes.first,
                authority: target.authority,
                path: target.pathAndQuery,
                headerFields: fields
            )
            let response = await handler.respondUntraced(to: HTTPServerRequest(head: head, remoteAddress: "127.0.0.1"))
            return .init(head: response.head, body: response.body, outcome: .init(response))
        }
    }
}

extension WarmReport.Outcome {
    /// The result as the proxy's own cache reports it.
    fileprivate init(_ response: HTTPServerResponse) {
        guard response.head.status.code < 400 else {
            self = .failed("status \(response.head.status.code)")
            return
        }
        switch response.note?.report?.outcome {
        case .hit, .staleHit, .validatedHit, .collapsedHit: self = .hit
        case .miss: self = response.note?.report?.isStored == true ? .stored : .notStored
        default: self = .notStored
        }
    }
}
