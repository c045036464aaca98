// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardModels
import HoardTesting
import Testing

@testable import SearchableList

@MainActor @Suite(.timeLimit(.minutes(1))) struct ArticleListTests {
    /// Pages of two.
    private actor Server: ArticleServer {
        private var titles = ["Green tea", "Black tea", "Coffee", "Cocoa"]
        private(set) var searches: [String] = []

        func add(_ title: String) { titles.insert(title, at: 0) }

        func articles(after id: Int?) -> CachedPage<Article, Int> {
            let all = titles.enumerated().map { Article(id: $0, title: $1) }
            let rest = all.drop { $0.id <= id ?? -1 }
            return CachedPage(items: Array(rest.prefix(2)), next: rest.count > 2 ? rest.prefix(2).last?.id : nil)
        }

        func articles(matching text: String) -> [Article] {
            searches.append(text)
            return titles.enumerated().map { Article(id: $0, title: $1) }.filter { $0.title.lowercased().contains(text) }
        }
    }

    private let server = Server()
    private let time = ManualTicker()

    /// Gives `body` a list that is shown, as the modifier `task` of a view does.
    private func withShownList(_ body: (ArticleList) async throws -> Void) async throws {
        let list = ArticleList(server: server, ticker: time)
        let task = Task { await list.run() }
        defer { task.cancel() }
        try await until { list.articles.count == 2 }
        try await body(list)
    }

    private func until(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func theNextPageComesWhenTheLastArticleIsInSight() async throws {
        try await withShownList { list in
            list.articleAppeared(list.articles[0])
            list.articleAppeared(list.articles[1])
            try await until { list.articles.map(\.title) == ["Green tea", "Black tea", "Coffee", "Cocoa"] }
        }
    }

    @Test func pullingShowsWhatIsNew() async throws {
        try await withShownList { list in
            await server.add("Water")
            await list.refresh()
            #expect(list.articles.map(\.title) == ["Water", "Green tea"])
        }
    }

    @Test func typingOnCancelsTheSearchBefore() async throws {
        try await withShownList { list in
            list.searchText = "t"
            try await until { time.nextDeadline == 300_000_000 }
            time.advance(by: .milliseconds(100))
            list.searchText = "Tea "
            try await until { time.nextDeadline == 400_000_000 }
            time.advance(by: .milliseconds(300))
            try await until { list.articles.map(\.title) == ["Green tea", "Black tea"] && !list.isLoading }
            let searches = await server.searches
            #expect(searches == ["tea"])
            list.searchText = ""
            #expect(list.articles.count == 2)
        }
    }
}
