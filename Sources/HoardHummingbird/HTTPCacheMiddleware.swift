// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
public import HoardHTTP
public import Hummingbird

/// Answers requests from an ``HTTPCache``, and has the handlers behind it make the responses that the cache does not
/// have.
///
/// ```swift
/// let caching = HTTPCacheMiddleware<BasicRequestContext>()
/// router.add(middleware: caching)
/// router.get("articles/:id") { request, context in
///     Response(status: .ok, headers: [.cacheControl: "s-maxage=60"], body: …)
/// }
/// ```
///
/// The cache is an HTTP cache like that of a proxy, and the handler is its origin: the response says whether it may be
/// stored, for how long, and for whom ([RFC 9111](https://www.rfc-editor.org/rfc/rfc9111)). A response that says
/// nothing is not stored. The cache answers conditional requests, ranges, `HEAD` and `Vary`. `POST`, `PUT`, `PATCH` and
/// `DELETE` invalidate the responses for their URI. Of requests that one response may answer, only the first reaches
/// the handler. A short body that writes itself without waiting, as one of bytes does, is stored as it is; any other
/// while it is sent.
///
/// The place of the middleware decides what it stores. Middlewares added before it see each request and each response, and their changes of responses
/// are not stored. Middlewares added after it belong to the origin.
///
/// - Important: A response that depends on the client has to say so: `Cache-Control: private`, or `Vary`. The cache
///   does not know values that a middleware in front of it has put into the context, such as a user. Responses to
///   requests with `Authorization` are stored only if they are `public`, `s-maxage` or `must-revalidate` (RFC 9111
///   §3.5), and responses with `Set-Cookie` only if they are `public` or have `s-maxage`.
///
/// ## Revalidating in the background
///
/// Hummingbird lends a middleware the handler only until the middleware has answered. So `stale-while-revalidate` (RFC 5861 §3) works where the
/// cache gets the handler for good: in a group of routes (``Hummingbird/RouterMethods/group(_:cache:policy:)``) and around a whole responder
/// (``responder(around:)``). As a plain middleware, the cache revalidates before it answers.
public struct HTTPCacheMiddleware<Context: RequestContext>: RouterMiddleware {
    /// The cache, for removing and marking as stale, statistics and closing.
    public let cache: HTTPCache
    /// The options, which decide anew for each request.
    public let options: HTTPCacheOptions<Context>
    let policies = CompiledPolicies()

    /// Creates a middleware with a cache.
    ///
    /// Several middlewares, of routes with other options, may share a cache.
    ///
    /// - Parameter cache: A shared one (``HTTPCache/Configuration/server``). A private one is used only for requests that have a partition
    ///   (``HTTPCacheOptions/partition``), since it keeps responses that are meant for one user.
    public init(cache: HTTPCache, options: HTTPCacheOptions<Context> = .init()) {
        self.cache = cache
        self.options = options
    }

    /// Creates a middleware with a shared cache of its own, in memory only.
    public init(options: HTTPCacheOptions<Context> = .init()) {
        self.init(cache: HTTPCache(configuration: .server), options: options)
    }

    /// The same cache with another policy.
    public func with(policy: HTTPCachePolicy) -> Self {
        var options = options
        options.policy = { _, _ in policy }
        return Self(cache: cache, options: options)
    }

    /// Answers a request from the cache, or has `next` answer it.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let (exchange, pending): (HandlerExchange, HTTPCache.PendingRequest)
        switch plan(for: request, context, runsLater: false) {
        case .around: return bypassed(try await next(request, context))
        case .response(let response): return response
        case .cache(let itsExchange, let request): (exchange, pending) = (itsExchange, request)
        }
        if let (early, request) = beginEarly(pending, exchange) {
            let outcome = exchange.received(await HandlerOutcome.of(request, context.withNewNotes(), next))
            if let response = try await answer(early, with: outcome, exchange) { return response }
        }
        // Only this task may call the handler, while the cache may ask for it in another one.
        let desk = HandlerDesk()
        return try await withThrowingTaskGroup(of: Response.self) { group in
            group.addTaskAtOnce {
                defer { desk.close() }
                return try await answer(pending, exchange, isFresh: startsTasksAtOnce) { await desk.run($0) }
            }
            while let job = await desk.next() {
                job.finish(await HandlerOutcome.of(job.request, context.withNewNotes(), next))
            }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    /// A responder that answers from the cache, and has `responder` make the responses that the cache does not have.
    ///
    /// ```swift
    /// let app = Application(responder: caching.responder(around: router.buildResponder()))
    /// ```
    public func responder(around responder: some HTTPResponder<Context>) -> HTTPCacheResponder<Context> {
        HTTPCacheResponder(caching: self, origin: responder)
    }

    /// The URI that the cache knows a path by, for a request that has come to the same site.
    ///
    /// - Parameter path: With the query, if any: `/articles/7?page=2`.
    /// - Returns: The URI for ``HTTPCache/remove(_:partition:)`` and ``HTTPCache/markStale(_:partition:)``; `nil` if the path, or the request's authority, is of no use.
    public func uri(ofPath path: String, like request: Request) -> String? {
        CacheTarget.uri(ofPath: path, like: request.head, options.scheme, options.authority)
    }
}

/// Whether ``_Concurrency/ThrowingTaskGroup/addTaskAtOnce(_:)`` does what its name says.
private var startsTasksAtOnce: Bool {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { true } else { false }
}

extension ThrowingTaskGroup where Failure == any Error {
    /// Adds a task that runs on the caller's thread until it suspends for the first time, if the system can do that.
    fileprivate mutating func addTaskAtOnce(_ operation: sending @escaping @isolated(any) () async throws -> ChildTaskResult) {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return addTask(operation: operation) }
        addImmediateTask(operation: operation)
    }
}
