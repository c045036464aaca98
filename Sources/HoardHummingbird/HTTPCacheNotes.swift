// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
public import Hummingbird
internal import Synchronization

/// A request context by which handlers tell the cache more about their response.
///
/// ```swift
/// struct AppContext: HTTPCacheRequestContext {
///     var coreContext: CoreRequestContextStorage
///     var cacheNotes = HTTPCacheNotes()
///     …
/// }
///
/// router.get("articles/:id") { request, context in
///     let article = try await articles.find(…)
///     context.cacheNotes.addTags("article-\(article.id)", "author-\(article.author)")
///     return article
/// }
/// ```
///
/// A context that is made of this one for a group of routes behind the cache must have the same notes: copy
/// `cacheNotes` in its initializer, else the notes of its handlers are lost.
public protocol HTTPCacheRequestContext: RequestContext {
    /// Each run of a handler gets new ones.
    var cacheNotes: HTTPCacheNotes { get set }
}

/// A handler's notes about caching, beside its response. Notes count if they are made before the handler returns.
public final class HTTPCacheNotes: Sendable {
    private struct State {
        var tags: Set<String> = []
        var preventsStoring = false
    }

    private let state = Mutex(State())

    /// Creates notes that say nothing.
    public init() {}

    /// Adds tags, by which the response can be removed later. A comma separates two tags, as in the field `Cache-Tag`. At most 1,000 are usable, of
    /// at most 1,024 bytes each; a response with others is not stored.
    public func addTags(_ tags: String...) { addTags(tags) }

    /// Adds tags, like ``addTags(_:)``.
    public func addTags(_ tags: some Sequence<String>) {
        let tags = Array(tags)
        state.withLock { $0.tags.formUnion(tags) }
    }

    /// The response is not stored, whatever it says itself. The client sees no difference.
    public func preventStoring() {
        state.withLock { $0.preventsStoring = true }
    }

    /// The tags so far.
    public var tags: Set<String> { state.withLock { $0.tags } }

    /// Whether the response is not to be stored.
    public var preventsStoring: Bool { state.withLock { $0.preventsStoring } }
}

extension RequestContext {
    var cacheNotesIfAny: HTTPCacheNotes? { (self as? any HTTPCacheRequestContext)?.cacheNotes }

    /// A copy for one run of a handler, which may happen after the original has been done with.
    func withNewNotes() -> Self {
        guard let context = self as? any HTTPCacheRequestContext else { return self }
        return Self.renewed(context) as? Self ?? self
    }

    private static func renewed(_ context: some HTTPCacheRequestContext) -> any HTTPCacheRequestContext {
        var context = context
        context.cacheNotes = HTTPCacheNotes()
        return context
    }
}

extension Response {
    /// The tags by which the cache can remove the response: the members of `Cache-Tag`. Clients do not see them, unless ``HTTPCacheOptions/sendsTags`` says so.
    ///
    /// A tag has no comma and no space at its ends. Complexity: O(*n*) in the length of the field.
    public var cacheTags: Set<String> {
        get { CacheTags.tags(in: HTTPFields(headers[fields: .cacheTag])) }
        set { headers[.cacheTag] = newValue.isEmpty ? nil : newValue.sorted().joined(separator: ", ") }
    }
}
