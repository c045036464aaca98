// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A newspaper: its articles, and how much work it is to make pages of them.
public final class Gazette: Sendable {
    struct Article: Sendable {
        let id: Int
        let author: String
        var title: String
        var text: String
    }

    private struct State {
        var articles: [Article]
        var pagesMade = 0
        var isAway = false
    }

    /// The articles are away: nothing can be made of them.
    struct AwayError: Error {}

    private let state: Mutex<State>
    /// The readers, by the token that they send.
    private let readers = ["token-ana": "Ana", "token-ben": "Ben"]

    public init() {
        state = Mutex(
            State(articles: [
                Article(id: 1, author: "Ivo", title: "The bridge opens", text: "After nine years of work."),
                Article(id: 2, author: "Lena", title: "Rain until Sunday", text: "Then more of it."),
            ])
        )
    }

    /// How many pages have been made so far. A cache is there to keep this number low.
    var pagesMade: Int { state.withLock { $0.pagesMade } }

    /// Lets the articles be away, or back.
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    /// The articles, to make one page of.
    func articles() throws(AwayError) -> [Article] {
        let articles = state.withLock { state -> [Article]? in
            if state.isAway { return nil }
            state.pagesMade += 1
            return state.articles
        }
        guard let articles else { throw AwayError() }
        return articles
    }

    /// - Returns: Whether there is such an article.
    func setTitle(_ title: String, ofArticle id: Int) -> Bool {
        state.withLock { state in
            guard let index = state.articles.firstIndex(where: { $0.id == id }) else { return false }
            state.articles[index].title = title
            return true
        }
    }

    func reader(withToken token: String) -> String? { readers[token] }
}
