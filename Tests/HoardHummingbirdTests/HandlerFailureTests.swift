// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHummingbird
import HoardTesting
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization
import Testing

/// The treatment of errors, and of stale responses.
@Suite(.timeLimit(.minutes(1)))
struct HandlerFailureTests {
    private struct Broken: Error {}

    @Test(arguments: Form.allCases)
    func thrownErrorsPassUnchanged(form: Form) async throws {
        let site = TestSite()
        let watch = ErrorWatch()
        let app = site.app(form, front: [watch]) { routes in
            routes.get("missing") { _, _ -> Response in throw HTTPError(.notFound, headers: [.retryAfter: "9"], message: "no such page") }
            routes.get("busy") { _, _ -> Response in throw HTTPError(.serviceUnavailable, message: "busy") }
            routes.get("broken") { _, _ -> Response in throw Broken() }
        }
        try await app.test(.router) { client async throws in
            let missing = try await client.get("/missing")
            #expect(missing.status == .notFound && missing.text.contains("no such page") && missing.headers[.retryAfter] == "9")
            #expect(try await client.get("/busy").status == .serviceUnavailable)
            #expect(try await client.get("/broken").status == .internalServerError)
        }
        #expect(watch.seen == [.notFound, .serviceUnavailable, nil])
    }

    @Test(arguments: Form.allCases)
    func staleResponseStandsInForAFailureButNotForAnAnswer(form: Form) async throws {
        let site = TestSite()
        let error = Mutex<(any Error)?>(nil)
        let app = site.app(form) { routes in
            routes.get("page") { _, _ in
                if let error = error.withLock({ $0 }) { throw error }
                return Response.text("good", [.cacheControl: "max-age=10, stale-if-error=1000"])
            }
        }
        try await app.test(.router) { client async throws in
            #expect(try await client.get("/page").text == "good")
            site.time.advance(by: .seconds(20))
            for failure: any Error in [HTTPError(.badGateway), HTTPError(.internalServerError), Broken()] {
                error.withLock { $0 = failure }
                let response = try await client.get("/page")
                #expect(response.status == .ok && response.text == "good" && response.headers[.age] == "20")
            }
            error.withLock { $0 = HTTPError(.gone) }
            #expect(try await client.get("/page").status == .gone)
        }
        #expect(site.cache.statistics.staleHits == 3)
    }

    @Test
    func failureThatNobodySeesIsLoggedWithoutValues() async throws {
        let site = TestSite()
        let lines = Mutex<[String]>([])
        let logger = Logger(label: "test") { _ in LineHandler { line in lines.withLock { $0.append(line) } } }
        let isBroken = Mutex(false)
        let app = site.app(.group, logger: logger) { routes in
            routes.get("secret-page") { _, _ in
                if isBroken.withLock({ $0 }) { throw HTTPError(.internalServerError, message: "secret") }
                return Response.text("good", [.cacheControl: "max-age=10, stale-if-error=1000"])
            }
        }
        try await app.test(.router) { client async throws in
            _ = try await client.get("/secret-page")
            isBroken.withLock { $0 = true }
            site.time.advance(by: .seconds(20))
            #expect(try await client.get("/secret-page").text == "good")
        }
        let logged = lines.withLock { $0 }.filter { $0.contains("stood in") }
        #expect(logged.count == 1)
        #expect(logged.allSatisfy { $0.contains("HTTPError") && !$0.contains("secret") })
    }

    @Test(arguments: Form.allCases)
    func errorWithALifetimeIsStored(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("missing") { request, _ -> Response in
                site.runs.note(request)
                throw HTTPError(.notFound, headers: [.cacheControl: "s-maxage=60"], message: "none")
            }
        }
        try await app.test(.router) { client async throws in
            for _ in 0..<3 {
                let response = try await client.get("/missing")
                #expect(response.status == .notFound && response.text.contains("none"))
                await site.cache.flush()
            }
        }
        #expect(site.runs.count == 1)
    }

    @Test(arguments: Form.allCases)
    func staleWhileRevalidateIsServedWhereTheHandlerCanRunLater(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, context in
                site.runs.note(request)
                context.cacheNotes.addTags("run-\(site.runs.count)")
                return Response.text("run \(site.runs.count)", [.cacheControl: "max-age=10, stale-while-revalidate=100"])
            }
        }
        try await app.test(.router) { client async throws in
            #expect(try await client.get("/page").text == "run 1")
            site.time.advance(by: .seconds(20))
            let second = try await client.get("/page")
            #expect(second.text == (form == .middleware ? "run 2" : "run 1"))
            await site.cache.flush()
            #expect(site.runs.count == 2)
            let third = try await client.get("/page")
            #expect(third.text == "run 2" && third.cacheStatus.hasPrefix("hoard; hit"))
            // The run in the background had notes of its own.
            await site.cache.remove(taggedWith: "run-1")
            #expect(try await client.get("/page").text == "run 2")
            await site.cache.remove(taggedWith: "run-2")
            #expect(try await client.get("/page").text == "run 3")
        }
        #expect(site.cache.statistics.staleHits == (form == .middleware ? 0 : 1))
    }

    @Test
    func staleHeadIsNotRefreshedByTheHandlerOfHead() async throws {
        let site = TestSite()
        let app = site.app(.group) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text("content", [.cacheControl: "max-age=10, stale-while-revalidate=100"])
            }
            routes.head("page") { request, _ in
                site.runs.note(request)
                return Response(status: .ok, headers: [.cacheControl: "max-age=10, stale-while-revalidate=100"])
            }
        }
        try await app.test(.router) { client async throws in
            #expect(try await client.get("/page").text == "content")
            site.time.advance(by: .seconds(20))
            #expect(try await client.get("/page", method: .head).status == .ok)
            await site.cache.flush()
            #expect(try await client.get("/page").text == "content")
        }
        #expect(!site.runs.all.contains { $0.method == .head })
    }
}

/// Gives each line away.
private struct LineHandler: LogHandler {
    let write: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        write("\(event.level) \(event.message) \(event.metadata ?? [:])")
    }
}
