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
    /// What to ask for, and how.
    struct Request: Sendable {
        var urls: [String] = []
        var sitemaps: [String] = []
        var concurrency = 8
        /// The most URLs per second; `nil`: any number.
        var rate: Double?
        var fields = HTTPFields()
    }

    /// How far the last warm-up has come.
    struct Progress: Sendable, Hashable, Codable {
        struct Failure: Sendable, Hashable, Codable {
            let url: String
            let reason: String
        }

        var isRunning = true
        var isCancelled = false
        /// How many URLs there are; `nil` while sitemaps are read.
        var total: Int?
        var report = WarmReport()
        /// The first hundred: URLs that failed, and sitemaps that could not be read.
        var failures: [Failure] = []
    }

    private struct State {
        var progress: Progress?
        /// Until when readiness waits for the warm-up that is under way.
        var waitEnd: Int64 = .min
        var task: Task<Void, Never>?
        var hasEnded = false
    }

    private static let maximumFailureCount = 100

    private let handler: ProxyHandler
    private let ticker: any Ticker
    private let state = Mutex(State())

    init(handler: ProxyHandler, ticker: any Ticker = MonotonicTicker()) {
        self.handler = handler
        self.ticker = ticker
    }

    /// `nil`: there has been no warm-up.
    var progress: Progress? { state.withLock { $0.progress } }

    /// Why readiness should wait, in one sentence; `nil`: it need not.
    var reasonToWait: String? {
        let (progress, waitEnd) = state.withLock { ($0.progress, $0.waitEnd) }
        guard let progress, progress.isRunning, ticker.nanoseconds() < waitEnd else { return nil }
        return
            "The cache is being warmed: \(progress.report.urls) of \(progress.total.map(String.init) ?? "an unknown number of") URLs have been asked for."
    }

    /// Begins the warm-up of a proxy that starts, for which readiness waits, or of one whose settings have another one now.
    ///
    /// - Throws: ``ProxyError`` if the file of URLs cannot be read.
    func begin(_ warmUp: CachingProxy.Configuration.WarmUp, isReload: Bool = false) throws(ProxyError) {
        let request = Request(urls: try warmUp.urls, sitemaps: warmUp.sitemaps, concurrency: warmUp.concurrency)
        _ = start(request, readinessWait: isReload ? .zero : warmUp.maximumReadinessWait)
    }

    /// Begins a warm-up.
    ///
    /// - Parameter readinessWait: How long readiness waits for it at most.
    /// - Returns: Whether it has begun: not while there is another one, nor at the proxy's end.
    func start(_ request: Request, readinessWait: Duration = .zero) -> Bool {
        state.withLock { state in
            guard !state.hasEnded, state.progress?.isRunning != true else { return false }
            state.progress = Progress()
            state.waitEnd = ticker.nanoseconds().addingSaturated(readinessWait.saturatingNanoseconds)
            state.task = startTask(priority: .utility) { [self] in await run(request) }
            return true
        }
    }

    /// Ends the warm-up that is under way, if there is one, and waits for that. Suspends.
    func cancel() async {
        let task = state.withLock { state in
            if state.progress?.isRunning == true { state.progress?.isCancelled = true }
            return state.task
        }
        task?.cancel()
        await task?.value
    }

    /// Waits for the end of the warm-up that is under way. Suspends.
    func waitUntilOver() async {
        await state.withLock { $0.task }?.value
    }

    /// The same as ``cancel()``, and there will be no other warm-up.
    func end() async {
        state.withLock { $0.hasEnded = true }
        await cancel()
    }

    private func run(_ request: Request) async {
        let start = ticker.nanoseconds()
        let warming = warming(request.fields)
        var pages: [String] = []
        for text in request.urls {
            do throws(Warming.Problem) {
                pages.append(try absolute(text))
            } catch {
                update { $0.report.add(.failed(error.description), byteCount: 0) }
                fail(text, error.description)
            }
        }
        for sitemap in request.sitemaps where !Task.isCancelled {
            do throws(Warming.Problem) {
                pages += try await warming.pages(ofSitemap: try absolute(sitemap))
            } catch {
                fail(sitemap, error.description)
            }
        }
        var seen: Set<String> = []
        pages.removeAll { !seen.insert($0).inserted }
        update { $0.total = $0.report.urls + pages.count }
        await warming.visit(pages, concurrency: request.concurrency, rate: request.rate) { url, outcome, byteCount in
            update { progress in
                progress.report.add(outcome, byteCount: byteCount)
                progress.report.milliseconds = Int((ticker.nanoseconds() - start) / 1_000_000)
            }
            if case .failed(let reason) = outcome { fail(url, reason) }
        }
        update { progress in
            progress.report.milliseconds = Int((ticker.nanoseconds() - start) / 1_000_000)
            progress.isRunning = false
        }
        guard let progress else { return }
        handler.logger.notice(
            "The cache was warmed.",
            metadata: [
                "urls": "\(progress.report.urls)", "stored": "\(progress.report.stored)", "cached": "\(progress.report.hits)",
                "notStored": "\(progress.report.notStored)", "failed": "\(progress.report.failed)", "cancelled": "\(progress.isCancelled)",
            ]
        )
    }

    private func update(_ change: (inout Progress) -> Void) {
        state.withLock { state in
            guard var progress = state.progress else { return }
            change(&progress)
            state.progress = progress
        }
    }

    private func fail(_ url: String, _ reason: String) {
        update { progress in
            if progress.failures.count < Self.maximumFailureCount { progress.failures.append(.init(url: url, reason: reason)) }
        }
    }

    /// The URL that is meant by a URL, or by a path alone where hosts make no difference.
    private func absolute(_ text: String) throws(Warming.Problem) -> String {
        guard text.utf8.first == UInt8(ascii: "/") else {
            if TargetURI.normalized(text) != nil { return text }
            throw Warming.Problem(description: "This is neither a path nor an http or https URL with a host.")
        }
        if case .hostIsMissing = handler.routes.current.cacheURIs(for: text) {
            throw Warming.Problem(description: "What is stored for this path depends on the host; give the URL with its host.")
        }
        return "http://localhost\(text)"
    }

    private func warming(_ fields: HTTPFields) -> Warming {
        Warming { [handler] target in
            let head = HTTPRequest(
                method: .get,
                scheme: target.scheme,
                authority: target.authority,
                path: target.pathAndQuery,
                headerFields: fields
            )
            let response = await handler.respondUntraced(to: HTTPServerRequest(head: head, remoteAddress: "127.0.0.1"))
            return .init(head: response.head, body: response.body, outcome: .init(response))
        }
    }
}

extension CachingProxy.Configuration.WarmUp {
    /// The lines of the file of URLs. Blocks.
    var urls: [String] {
        get throws(ProxyError) {
            guard let urlsPath else { return [] }
            return Sitemap(String(decoding: try NamedFile.read(urlsPath, "The file of URLs", upTo: 64 << 20), as: UTF8.self)).urls
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
