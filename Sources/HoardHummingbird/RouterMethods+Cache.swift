// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import HoardHTTP
public import Hummingbird

extension RouterMethods {
    /// A group of routes that are answered from a cache.
    ///
    /// ```swift
    /// var hourly = HTTPCachePolicy()
    /// hourly.lifetime = .ifUnspecified(.seconds(3_600))
    ///
    /// router.group("articles", cache: caching, policy: hourly)
    ///     .get(":id", use: showArticle)
    ///     .put(":id", use: changeArticle)     // removes the responses for its URI
    /// ```
    ///
    /// Middlewares that are added to the group stand between the cache and its handlers. Middlewares of this router stand in front of the cache.
    ///
    /// - Parameters:
    ///   - path: The beginning of the paths of the routes.
    ///   - caching: The cache and its options.
    ///   - policy: For all routes of the group, instead of that of the options.
    public func group(_ path: RouterPath = "", cache caching: HTTPCacheMiddleware<Context>, policy: HTTPCachePolicy? = nil) -> RouterGroup<Context> {
        CachedRoutes(parent: self, caching: policy.map { caching.with(policy: $0) } ?? caching).group(path)
    }
}

/// Puts a cache in front of each responder on its way to a router.
private struct CachedRoutes<Context: RequestContext>: RouterMethods {
    let parent: any RouterMethods<Context>
    let caching: HTTPCacheMiddleware<Context>

    @discardableResult
    func on<Responder: HTTPResponder>(
        _ path: RouterPath,
        method: HTTPRequest.Method,
        responder: Responder
    ) -> Self where Responder.Context == Context {
        parent.on(path, method: method, responder: caching.responder(around: responder))
        return self
    }

    func add(middleware: any MiddlewareProtocol<Request, Response, Context>) -> Self {
        _ = parent.add(middleware: middleware)
        return self
    }
}
