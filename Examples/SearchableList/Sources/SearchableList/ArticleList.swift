// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardModels
import Observation

struct Article: Codable, Hashable, Identifiable, Sendable {
    let id: Int
    var title: String
}

protocol ArticleServer: Sendable {
    func articles(after id: Int?) async throws -> CachedPage<Article, Int>
    func articles(matching text: String) async throws -> [Article]
}

/// A list as a view shows it: all articles, page after page, or those that are searched for.
@MainActor @Observable final class ArticleList {
    /// The text as the user types it. The results of the old text are shown until those of the new one are there;
    /// the load of the old text is cancelled.
    var searchText = "" {
        didSet {
            let text = searchText.split(separator: " ").joined(separator: " ").lowercased()
            results.parameters = text.isEmpty ? nil : text
        }
    }

    private let pages: ObservedPages<String, Article, Int>
    private let results: ObservedQuery<String, String, [Article]>

    /// - Parameter stores: With a `DiskStore`, the first page is there at once when the app starts again.
    init(server: any ArticleServer, stores: StoreStack = StoreStack([]), ticker: any Ticker = MonotonicTicker()) {
        var policy = CachePolicy(freshFor: .seconds(60))
        // Without a network there are old articles rather than none.
        policy.staleIfError = .seconds(86_400)
        pages = ObservedPages(
            TieredCache(name: "pages", configuration: .init(maximumCount: 100, policy: policy), stores: stores, codec: .json, ticker: ticker),
            key: { $0.map { "after \($0)" } ?? "first" },
            ticker: ticker
        ) { try await server.articles(after: $0) }
        results = ObservedQuery(
            TieredCache(name: "searches", configuration: .init(maximumCount: 100, policy: policy), stores: stores, codec: .json, ticker: ticker),
            key: { $0 },
            ticker: ticker
        ) { text in
            // If the user types on, the load of the text is cancelled here, before the server has heard of it.
            try await ticker.sleep(until: ticker.nanoseconds() + 300_000_000)
            return try await server.articles(matching: text)
        }
        results.keepsPrevious = true
    }

    private var isSearching: Bool { results.parameters != nil }

    var articles: [Article] { isSearching ? results.value ?? [] : pages.items }
    var isLoading: Bool { isSearching ? results.isLoading : pages.isLoading }
    var error: (any Error)? { isSearching ? results.error : pages.error }

    /// Wants the next page when the end of the list comes into sight.
    func articleAppeared(_ article: Article) {
        if !isSearching, article.id == pages.items.last?.id { pages.loadMore() }
    }

    func refresh() async {
        if isSearching { await results.refresh() } else { await pages.refresh() }
    }

    /// Follows the caches until the caller's task is cancelled.
    func run() async {
        async let pages: Void = pages.run()
        async let results: Void = results.run()
        _ = await (pages, results)
    }
}
