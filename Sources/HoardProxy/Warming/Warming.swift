// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import Hoard
package import HoardHTTP
internal import NIOCore

/// Asks for URLs, so that a cache has them.
package struct Warming: Sendable {
    /// An answer to a request for a URL, and its outcome in the cache. The content is still to be read.
    package struct Answer: Sendable {
        package let head: HTTPResponse
        package let body: HTTPBody
        package let outcome: WarmReport.Outcome

        package init(head: HTTPResponse, body: HTTPBody, outcome: WarmReport.Outcome) {
            (self.head, self.body, self.outcome) = (head, body, outcome)
        }
    }

    /// The reason why a sitemap, or a URL that it names, cannot be used, in one sentence.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
        /// Whether it may be over soon: there was no response, or one that says so (502, 503, 504).
        package var mayPass = false

        package init(description: String, mayPass: Bool = false) {
            (self.description, self.mayPass) = (description, mayPass)
        }
    }

    /// A URL that was asked for.
    package struct Visit: Sendable {
        package let url: String
        package let outcome: WarmReport.Outcome
        package let byteCount: Int
        /// Whether it failed in a way that may be over soon.
        package let mayPass: Bool
    }

    /// Sitemaps have at most 50 MiB and 50,000 URLs.
    private static let maximumSitemapByteCount = 50 << 20
    private static let maximumSitemapCount = 10_000
    private static let maximumPageCount = 1_000_000
    /// The rates that can be kept, in URLs per second.
    package static let rates = 0.001...1_000_000.0

    private let ticker: any Ticker
    /// Asks for one URL with GET.
    private let send: @Sendable (TargetURI) async throws -> Answer

    package init(ticker: any Ticker = MonotonicTicker(), send: @escaping @Sendable (TargetURI) async throws -> Answer) {
        (self.ticker, self.send) = (ticker, send)
    }

    /// The pages that a sitemap names, and those of the sitemaps that it names. Suspends. Ends early if the task is cancelled.
    ///
    /// - Parameter tell: Gets the URL of each sitemap that cannot be read or has something that cannot be used. The others count.
    package func pages(ofSitemap url: String, _ tell: (String, Problem) -> Void) async -> [String] {
        var pages: [String] = []
        var seen: Set<String> = []
        var waiting = [url][...]
        var known: Set<String> = [url]
        while !Task.isCancelled, let url = waiting.popFirst() {
            do throws(Problem) {
                let sitemap = try await sitemap(at: url)
                var strange: (first: String, count: Int)?
                for found in sitemap.urls {
                    guard TargetURI.normalized(found) != nil else {
                        strange = (strange?.first ?? found, (strange?.count ?? 0) + 1)
                        continue
                    }
                    if !sitemap.isIndex {
                        if seen.insert(found).inserted { pages.append(found) }
                    } else if known.insert(found).inserted {
                        waiting.append(found)
                    }
                }
                if let strange {
                    let others = strange.count == 1 ? "" : ", and \(strange.count - 1) more of that kind"
                    tell(
                        url,
                        Problem(description: "The sitemap \(url) names “\(strange.first)”, which is not an http or https URL with a host\(others).")
                    )
                }
                guard known.count <= Self.maximumSitemapCount else {
                    throw Problem(description: "There are more than \(Self.maximumSitemapCount) sitemaps.")
                }
                guard pages.count <= Self.maximumPageCount else { throw Problem(description: "There are more than \(Self.maximumPageCount) URLs.") }
            } catch {
                if !Task.isCancelled { tell(url, error) }
                // Too many of either are not asked for at all.
                if known.count > Self.maximumSitemapCount || pages.count > Self.maximumPageCount { break }
            }
        }
        return pages
    }

    private func sitemap(at url: String) async throws(Problem) -> Sitemap {
        do {
            let response = try await answer(url)
            let status = response.head.status.code
            guard status == 200 else {
                throw Problem(description: "The sitemap \(url) cannot be read: status \(status).", mayPass: Self.mayPass(status))
            }
            let bytes = try await response.body.collect(upTo: Self.maximumSitemapByteCount)
            if Array(bytes.readableBytesView.prefix(2)) == [0x1F, 0x8B] {
                throw Problem(description: "The sitemap \(url) is compressed; unpack it, and give its URLs as a list.")
            }
            guard let sitemap = Sitemap(String(buffer: bytes)) else {
                throw Problem(description: "What is at \(url) is neither a sitemap nor a list of URLs.")
            }
            return sitemap
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(description: "The sitemap \(url) cannot be read: \(error)", mayPass: true)
        }
    }

    /// Asks for URLs, in their order, so many at a time. Suspends until all have answered, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - rate: The most URLs per second, within ``rates``; `nil`: any number.
    ///   - tell: Gets each result as it comes, except those of requests that were cancelled.
    package func visit(_ urls: [String], concurrency: Int, rate: Double?, _ tell: (Visit) -> Void) async {
        await withTaskGroup(of: Visit?.self) { group in
            let pause = rate.map { Int64(1_000_000_000 / min(max($0, Self.rates.lowerBound), Self.rates.upperBound)) } ?? 0
            var next = ticker.nanoseconds()
            var waiting = urls[...]
            func begin() {
                guard !Task.isCancelled, let url = waiting.popFirst() else { return }
                next = max(next, ticker.nanoseconds())
                let start = next
                next += pause
                group.addTask { await visit(url, at: start) }
            }
            for _ in 0..<min(concurrency, urls.count) { begin() }
            while let done = await group.next() {
                if let done { tell(done) }
                begin()
            }
        }
    }

    /// - Returns: `nil` if the task was cancelled before the end.
    private func visit(_ url: String, at start: Int64) async -> Visit? {
        do {
            if start > ticker.nanoseconds() { try await ticker.sleep(until: start) }
            let response = try await answer(url)
            var byteCount = 0
            for try await part in response.body { byteCount += part.readableBytes }
            if Task.isCancelled, case .failed = response.outcome { return nil }
            return Visit(url: url, outcome: response.outcome, byteCount: byteCount, mayPass: Self.mayPass(response.head.status.code))
        } catch {
            return Task.isCancelled ? nil : Visit(url: url, outcome: .failed("\(error)"), byteCount: 0, mayPass: true)
        }
    }

    private static func mayPass(_ status: Int) -> Bool { (502...504).contains(status) }

    private func answer(_ url: String) async throws -> Answer {
        guard let target = TargetURI(URIReference(url)) else { throw Problem(description: "“\(url)” is no URL.") }
        return try await send(target)
    }
}
