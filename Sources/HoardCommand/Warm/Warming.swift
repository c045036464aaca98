// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import HoardHTTP
internal import HoardTransports
internal import NIOCore

/// Asks for URLs, through a proxy or where they lead.
struct Warming: Sendable {
    /// Sitemaps have at most 50 MiB and 50,000 URLs.
    private static let maximumSitemapByteCount = 50 << 20
    private static let maximumSitemapCount = 10_000

    let transport: NIOTransport
    /// `nil`: requests go where their URLs lead.
    let proxy: TargetURI?
    let fields: HTTPFields

    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// The pages that a sitemap names, and those of the sitemaps that it names. Suspends.
    ///
    /// - Throws: ``Problem``, if one of them cannot be read.
    func pages(ofSitemap url: String) async throws(Problem) -> [String] {
        var pages: [String] = []
        var waiting = [url][...]
        var known: Set<String> = [url]
        while let url = waiting.popFirst() {
            let sitemap = Sitemap(try await text(of: url))
            for found in sitemap.urls {
                guard TargetURI.normalized(found) != nil else {
                    throw Problem(
                        description: "The sitemap \(printable(url)) names “\(printable(found))”, which is not an http or https URL with a host."
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
            let response = try await send(url)
            guard response.head.status == .ok else {
                throw Problem(description: "The sitemap \(printable(url)) cannot be read: status \(response.head.status.code).")
            }
            let bytes = try await response.body.collect(upTo: Self.maximumSitemapByteCount)
            if Array(bytes.readableBytesView.prefix(2)) == [0x1F, 0x8B] {
                throw Problem(description: "The sitemap \(printable(url)) is compressed; unpack it, and give its URLs with --urls.")
            }
            return String(buffer: bytes)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(description: "The sitemap \(printable(url)) cannot be read: \(error)")
        }
    }

    typealias Visit = (url: String, outcome: WarmReport.Outcome, byteCount: Int)

    /// Asks for URLs, in their order, so many at a time. Ends with its reader.
    func visit(_ urls: [String], concurrency: Int, rate: Double?) -> AsyncStream<Visit> {
        AsyncStream { continuation in
            let task = Task {
                await withTaskGroup(of: Visit.self) { group in
                    let pause = rate.map { Duration.seconds(1 / $0) }
                    var next = ContinuousClock.now
                    for (index, url) in urls.enumerated() where !Task.isCancelled {
                        if index >= concurrency, let done = await group.next() { continuation.yield(done) }
                        if let pause {
                            try? await Task.sleep(until: next, clock: .continuous)
                            next = max(next, .now - pause) + pause
                        }
                        group.addTask { await visit(url) }
                    }
                    for await done in group { continuation.yield(done) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func visit(_ url: String) async -> Visit {
        do {
            let response = try await send(url)
            var byteCount = 0
            for try await part in response.body { byteCount += part.readableBytes }
            return (url, WarmReport.Outcome(status: response.head.status.code, cacheStatus: response.head.headerFields[.cacheStatus]), byteCount)
        } catch {
            return (url, .failed("\(error)"), 0)
        }
    }

    private func send(_ url: String) async throws -> TransportResponse {
        guard let target = TargetURI(URIReference(url)) else { throw Problem(description: "“\(printable(url))” is no URL.") }
        let query = target.query.map { "?\($0)" } ?? ""
        let request = HTTPRequest(
            method: .get,
            scheme: (proxy ?? target).scheme,
            authority: target.authority,
            path: target.path + query,
            headerFields: fields
        )
        let server = try proxy.map { try OriginServer(scheme: $0.scheme, authority: $0.authority) }
        return try await transport.send(request, body: .empty, to: server, onNewConnection: false, onInterimResponse: nil)
    }
}
