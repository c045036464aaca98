// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardHummingbird
internal import Hummingbird
internal import NIOCore

/// The context that handlers get. The notes are for the cache.
struct GazetteContext: HTTPCacheRequestContext {
    var coreContext: CoreRequestContextStorage
    var cacheNotes = HTTPCacheNotes()

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}

/// The routes of the server. All code that has to do with caching is here.
struct GazetteRoutes: Sendable {
    let gazette: Gazette
    let caching: HTTPCacheMiddleware<GazetteContext>

    init(gazette: Gazette, cache: HTTPCache) {
        self.gazette = gazette
        caching = HTTPCacheMiddleware(cache: cache)
    }

    func router() -> Router<GazetteContext> {
        // The front page says nothing about caching itself.
        var front = HTTPCachePolicy()
        front.lifetime = .ifUnspecified(.seconds(60))
        front.staleWhileRevalidate = .seconds(600)
        front.ignoredQueryParameters = ["utm_*"]

        let router = Router(context: GazetteContext.self, options: .autoGenerateHeadEndpoints)
        router.group(cache: caching, policy: front).get(use: showFront)
        let articles = router.group("articles", cache: caching)
        articles.get(":id", use: showArticle)
        articles.put(":id", use: changeArticle)
        router.group("archive", cache: caching).get(use: showArchive)
        router.group("me", cache: caching).get(use: showReader)
        router.post("admin/purge", use: purge)
        return router
    }

    /// Shows the front page. It depends on all articles, and says so by tags. The handler returns a
    /// string: the tags go by the context.
    @Sendable
    private func showFront(_ request: Request, context: GazetteContext) throws -> String {
        let articles = try articles()
        context.cacheNotes.addTags(articles.map { "article-\($0.id)" })
        return articles.map(\.title).joined(separator: "\n") + "\n"
    }

    /// Shows an article. Its response says for how long a cache may keep it, and that a cache may show it for a
    /// while when no new one can be made.
    @Sendable
    private func showArticle(_ request: Request, context: GazetteContext) throws -> Response {
        let id = try context.parameters.require("id", as: Int.self)
        guard let article = try articles().first(where: { $0.id == id }) else { throw HTTPError(.notFound, message: "There is no such article.") }
        var response = text("\(article.title)\n\(article.text)\n", cacheControl: "max-age=60, stale-if-error=3600")
        response.headers[.eTag] = "\"\(article.title.utf8.count)-\(article.text.utf8.count)\""
        response.cacheTags = ["article-\(id)", "author-\(article.author)"]
        return response
    }

    /// Changes an article. The responses stored for the article's own URI go by themselves, as the method is
    /// `PUT`. Other pages that show it go by its tag.
    @Sendable
    private func changeArticle(_ request: Request, context: GazetteContext) async throws -> HTTPResponse.Status {
        let id = try context.parameters.require("id", as: Int.self)
        let title = String(buffer: try await request.body.collect(upTo: 1_024))
        guard gazette.setTitle(title, ofArticle: id) else { throw HTTPError(.notFound, message: "There is no such article.") }
        await caching.cache.remove(taggedWith: "article-\(id)")
        return .noContent
    }

    /// Long, and written as it is made. It is stored while it is sent.
    @Sendable
    private func showArchive(_ request: Request, context: GazetteContext) throws -> Response {
        let articles = try articles()
        let body = ResponseBody { writer in
            for year in 1_900..<2_000 {
                for article in articles { try await writer.write(ByteBuffer(string: "\(year) \(article.title)\n")) }
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.cacheControl: "max-age=86400", .contentType: "text/plain; charset=utf-8"], body: body)
    }

    /// Shows a page for one reader. The response has to say so, as the cache cannot know.
    @Sendable
    private func showReader(_ request: Request, context: GazetteContext) throws -> Response {
        let words = request.headers[.authorization]?.split(separator: " ") ?? []
        guard words.count == 2, words[0] == "Bearer", let reader = gazette.reader(withToken: String(words[1])) else {
            throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"])
        }
        return text("Good morning, \(reader).\n", cacheControl: "private, max-age=60")
    }

    /// Removes the responses that have a tag. Its only protection is that the server listens on
    /// the loopback interface only.
    @Sendable
    private func purge(_ request: Request, context: GazetteContext) async throws -> HTTPResponse.Status {
        let tag = try request.uri.queryParameters.require("tag")
        await caching.cache.remove(taggedWith: tag)
        return .noContent
    }

    private func articles() throws -> [Gazette.Article] {
        do {
            return try gazette.articles()
        } catch {
            throw HTTPError(.serviceUnavailable, message: "The articles are away.")
        }
    }

    private func text(_ text: String, cacheControl: String) -> Response {
        Response(
            status: .ok,
            headers: [.cacheControl: cacheControl, .contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
