// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension ProxyWarming {
    /// URLs and sitemaps to ask for, and how fast.
    struct Request: Sendable {
        var urls: [String] = []
        var sitemaps: [String] = []
        var concurrency = 8
        /// The most URLs per second; `nil`: any number.
        var rate: Double?
        var fields = HTTPFields()
        /// The time for which readiness waits for the end at most. Until then, requests that may work later are tried
        /// again.
        var readinessWait = Duration.zero
    }

    /// How far the last warm-up has come.
    struct Progress: Sendable, Hashable, Codable {
        struct Failure: Sendable, Hashable, Codable {
            let url: String
            let reason: String
        }

        private static let maximumFailureCount = 100
        private static let maximumTextLength = 1_000

        var isRunning = true
        var isCancelled = false
        /// How many URLs there are; `nil` while sitemaps are still to be read.
        var total: Int?
        var report = WarmReport()
        /// Sitemaps that could not be read, or had something in them that could not be used.
        var failedSitemaps = 0
        /// The first hundred of both kinds, each cut at a thousand characters.
        private(set) var failures: [Failure] = []

        mutating func add(_ failure: Failure) {
            guard failures.count < Self.maximumFailureCount else { return }
            failures.append(.init(url: Self.cut(failure.url), reason: Self.cut(failure.reason)))
        }

        private static func cut(_ text: String) -> String {
            text.utf8.count > maximumTextLength ? text.prefix(maximumTextLength) + "…" : text
        }
    }
}

extension ProxyWarming.Request {
    /// The warm-up that settings describe. Blocks while the file of URLs is read.
    ///
    /// - Throws: ``ProxyError`` if that cannot be read, or a setting makes no sense.
    init(_ warmUp: CachingProxy.Configuration.WarmUp) throws(ProxyError) {
        guard warmUp.concurrency >= 1 else {
            throw ProxyError(.invalidConfiguration, "The warm-up asks for \(warmUp.concurrency) URLs at a time; it must be at least 1.")
        }
        if let rate = warmUp.rate, !Warming.rates.contains(rate) {
            throw ProxyError(.invalidConfiguration, "The rate of the warm-up is \(rate); it must be from 0.001 to 1000000.")
        }
        sitemaps = warmUp.sitemaps
        concurrency = warmUp.concurrency
        rate = warmUp.rate
        fields = warmUp.fields
        readinessWait = warmUp.maximumReadinessWait
        guard let path = warmUp.urlsPath else { return }
        let text = String(decoding: try NamedFile.read(path, "The file of URLs", upTo: 64 << 20), as: UTF8.self)
        guard let list = Sitemap(text) else { throw ProxyError(.invalidConfiguration, "The file of URLs \(path) is neither a list nor a sitemap.") }
        urls = list.urls
    }
}
