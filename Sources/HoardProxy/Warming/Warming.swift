// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import HoardHTTP
internal import NIOCore

/// Asks for URLs, so that a cache has them.
package struct Warming: Sendable {
    /// An answer to a request for a URL, and what that says of the cache. The content is still to be read.
    package struct Answer: Sendable {
        package let head: HTTPResponse
        package let body: HTTPBody
        package let outcome: WarmReport.Outcome

        package init(head: HTTPResponse, body: HTTPBody, outcome: WarmReport.Outcome) {
            (self.head, self.body, self.outcome) = (head, body, outcome)
        }
    }

    /// Sitemaps have at most 50 MiB and 50,000 URLs.
    private static let maximumSitemapByteCount = 50 << 20
    private static let maximumSitemapCount = 10_000

    /// Asks for one URL with GET.
    private let send: @Sendable (TargetURI) async throws -> Answer

    package init(send: @escaping @Sendable (TargetURI) async throws -> Answer) {
        self.send = send
    }

    /// Why a sitemap cannot be used, in one sentence.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// The pages that a sitemap names, and those of the sitemaps that it names. Suspends.
    ///
    /// - Throws: ``Problem``, if one of them cannot be read.
    package func pages(ofSitemap url: String) async throws(Problem) -> [String] {
        var pages: [String] = []
        var waiting = [url][...]
        var known: Set<String> = [url]
        while let url = waiting.popFirst() {
            let sitemap = Sitemap(try await text(of: url))
            for found in sitemap.urls {
                guard TargetURI.normalized(found) != nil else {
                    throw Problem(
                        description: "The sitemap \(url) names “\(found)”, which is not an http or https URL with a host."
                    )
                }
                if !sitemap.isIndex { pages.append(found) } else if known.insert(found).inserted { waiting.append(found) }
            }
            guard known.count <= Self.maximumSitemapCount else {
                throw Problem(description: "There are more than \(Self.maximumSitemapCount) sitemaps.")
            }
        }
        return pages
    }

    private func text(of url: String) async throws(Problem) -> String {
        do {
            let response = try await answer(url)
            guard response.head.status == .ok else {
                throw Problem(description: "The sitemap \(url) cannot be read: status \(response.head.status.code).")
            }
            let bytes = try await response.body.collect(upTo: Self.maximumSitemapByteCount)
            if Array(bytes.readableBytesView.prefix(2)) == [0x1F, 0x8B] {
                throw Problem(description: "The sitemap \(url) is compressed; unpack it, and give its URLs with --urls.")
            }
            return String(buffer: bytes)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(description: "The sitemap \(url) cannot be read: \(error)")
        }
    }

    package typealias Visit = (url: String, outcome: WarmReport.Outcome, byteCount: Int)

    /// Asks for URLs, in their order, so many at a time. Suspends until all have answered, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - rate: The most URLs per second; `nil`: any number.
    ///   - tell: Gets each result, except those of requests that were cancelled.
    package func visit(_ urls: [String], concurrency: Int, rate: Double?, _ tell: (Visit) -> Void) async {
        await withTaskGroup(of: Visit.self) { group in
            let pause = rate.map { Duration.seconds(1 / $0) }
            var next = ContinuousClock.now
            for (index, url) in urls.enumerated() where !Task.isCancelled {
                if index >= concurrency, let done = await group.next(), !Task.isCancelled { tell(done) }
                if let pause {
                    try? await Task.sleep(until: next, clock: .continuous)
                    next = max(next, .now - pause) + pause
                }
                group.addTask { await visit(url) }
            }
            for await done in group where !Task.isCancelled { tell(done) }
        }
    }

    private func visit(_ url: String) async -> Visit {
        do {
            let response = try await answer(url)
            var byteCount = 0
            for try await part in response.body { byteCount += part.readableBytes }
            return (url, response.outcome, byteCount)
        } catch {
            return (url, .failed("\(error)"), 0)
        }
    }

    private func answer(_ url: String) async throws -> Answer {
        guard let target = TargetURI(URIReference(url)) else { throw Problem(description: "“\(url)” is no URL.") }
        return try await send(target)
    }
}
