// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHummingbird
import HoardTesting
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization

/// The context that handlers of the tests get.
struct TestContext: HTTPCacheRequestContext {
    var coreContext: CoreRequestContextStorage
    var cacheNotes = HTTPCacheNotes()

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}

/// How the cache gets in front of the handlers.
enum Form: CaseIterable, Sendable {
    case middleware, group, responder
}

/// A server with a cache whose time stands still until a test moves it.
struct TestSite: Sendable {
    let time = ManualTicker()
    let cache: HTTPCache
    let caching: HTTPCacheMiddleware<TestContext>
    /// How often handlers were run.
    let runs = Runs()

    init(_ configuration: HTTPCache.Configuration = .server, options: HTTPCacheOptions<TestContext> = .init()) {
        cache = HTTPCache(configuration: configuration, clock: time, ticker: time)
        caching = HTTPCacheMiddleware(cache: cache, options: options)
    }

    /// An application with these routes behind the cache, and these middlewares in front of it.
    func app(
        _ form: Form,
        server: HTTPServerBuilder = .http1(),
        front: [any MiddlewareProtocol<Request, Response, TestContext>] = [],
        logger: Logger? = nil,
        _ routes: (any RouterMethods<TestContext>) -> Void
    ) -> Application<AnyResponder> {
        let router = Router(context: TestContext.self, options: .autoGenerateHeadEndpoints)
        for middleware in front { _ = router.middlewares.add(middleware) }
        switch form {
        case .middleware:
            router.add(middleware: caching)
            routes(router)
        case .group:
            routes(router.group(cache: caching))
        case .responder:
            routes(router)
            return Application(responder: AnyResponder(caching.responder(around: router.buildResponder())), server: server, logger: logger)
        }
        return Application(responder: AnyResponder(router.buildResponder()), server: server, logger: logger)
    }
}

/// Hides which responder it is, so that all forms have one type.
struct AnyResponder: HTTPResponder {
    typealias Context = TestContext
    let responder: any HTTPResponder<TestContext>

    init(_ responder: any HTTPResponder<TestContext>) { self.responder = responder }

    func respond(to request: Request, context: TestContext) async throws -> Response {
        try await responder.respond(to: request, context: context)
    }
}

/// Counts requests, and keeps them.
final class Runs: Sendable {
    private let requests = Mutex<[HTTPRequest]>([])

    var count: Int { requests.withLock { $0.count } }
    var all: [HTTPRequest] { requests.withLock { $0 } }

    func note(_ request: Request) { requests.withLock { $0.append(request.head) } }
}

/// A middleware in front of the cache that keeps the errors that pass it.
final class ErrorWatch: RouterMiddleware {
    typealias Context = TestContext
    private let statuses = Mutex<[HTTPResponse.Status?]>([])

    /// The statuses of the errors; `nil` for one that has none.
    var seen: [HTTPResponse.Status?] { statuses.withLock { $0 } }

    func handle(_ request: Request, context: TestContext, next: (Request, TestContext) async throws -> Response) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            statuses.withLock { $0.append((error as? any HTTPResponseError)?.status) }
            throw error
        }
    }
}

extension Response {
    static func text(_ text: String, _ fields: HTTPFields = [:]) -> Response {
        Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }
    var cacheStatus: String { headers[values: cacheStatusName].joined(separator: ", ") }
}

let cacheStatusName: HTTPField.Name = {
    guard let name = HTTPField.Name("Cache-Status") else { preconditionFailure("The name of the field is a token.") }
    return name
}()

let cacheTagName: HTTPField.Name = {
    guard let name = HTTPField.Name("Cache-Tag") else { preconditionFailure("The name of the field is a token.") }
    return name
}()

extension TestClientProtocol {
    func get(_ uri: String, _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get, body: ByteBuffer? = nil) async throws -> TestResponse {
        try await execute(uri: uri, method: method, headers: fields, body: body) { $0 }
    }
}
