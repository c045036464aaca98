// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHummingbird
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

/// Over sockets.
@Suite(.timeLimit(.minutes(2)))
struct LiveServerTests {
    private static let shared: HTTPFields = [.cacheControl: "s-maxage=60"]

    @Test(arguments: Form.allCases)
    func answersFromTheCacheOverHTTP1(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text("page", Self.shared)
            }
            routes.put("page") { request, _ in
                let text = String(buffer: try await request.body.collect(upTo: 1 << 20))
                return Response.text("\(text.utf8.count)")
            }
        }
        try await LiveSite.with(app) { client in
            #expect(try await client.get("/page").cacheStatus.contains("fwd=uri-miss"))
            let hit = try await client.get("/page")
            #expect(hit.cacheStatus == "hoard; hit; ttl=60" && hit.text == "page")
            let head = try await client.get("/page", method: .head)
            #expect(head.cacheStatus.contains("hit") && head.text.isEmpty && head.head.headerFields[.contentLength] == "4")
            #expect(try await client.get("/page", method: .put, body: ByteBuffer(repeating: 65, count: 300_000)).text == "300000")
            #expect(try await client.get("/page").cacheStatus.contains("fwd=uri-miss"))
        }
        #expect(site.runs.count == 2)
    }

    @Test(arguments: Form.allCases)
    func answersFromTheCacheOverHTTP2(form: Form) async throws {
        let site = TestSite()
        let gate = Gate()
        let server = try HTTPServerBuilder.http2Upgrade(tlsConfiguration: try TestCertificate.first.serverConfiguration())
        let app = site.app(form, server: server) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                await gate.pass()
                return Response.text("page", Self.shared)
            }
        }
        try await LiveSite.with(app, isSecure: true) { client in
            try await withThrowingTaskGroup(of: LiveResponse.self) { group in
                for _ in 0..<20 { group.addTask { try await client.get("/page") } }
                await gate.arrivals(1)
                gate.open()
                for try await response in group { #expect(response.text == "page") }
            }
            let hit = try await client.get("/page", [.range: "bytes=1-2"])
            #expect(hit.cacheStatus.contains("hit") && hit.text == "ag" && hit.head.status == .partialContent)
        }
        #expect(site.runs.count == 1)
        // Over HTTP/1.1 Hummingbird would say "http".
        #expect(site.runs.all.first?.scheme == "https")
        #expect(site.runs.all.first?.authority?.hasPrefix("localhost") == true)
    }

    @Test(arguments: Form.allCases)
    func partReachesTheClientBeforeTheNextIsMade(form: Form) async throws {
        let site = TestSite()
        let gate = Gate()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response(
                    status: .ok,
                    headers: Self.shared,
                    body: ResponseBody { writer in
                        try await writer.write(ByteBuffer(string: "one "))
                        await gate.pass()
                        try await writer.write(ByteBuffer(string: "two"))
                        try await writer.finish(nil)
                    }
                )
            }
        }
        try await LiveSite.with(app) { client in
            let first = try await client.send("/page")
            var parts = first.body.makeAsyncIterator()
            #expect(try await parts.next() == ByteBuffer(string: "one "))
            // A client that asks while the page is made gets it from its beginning.
            let second = try await client.send("/page")
            gate.open()
            #expect(try await parts.next() == ByteBuffer(string: "two"))
            #expect(try await parts.next() == nil)
            #expect(try await second.body.collect(upTo: 100) == ByteBuffer(string: "one two"))
            let third = try await client.send("/page")
            #expect(try await third.body.collect(upTo: 100) == ByteBuffer(string: "one two"))
            #expect(third.head.headerFields[.age] == "0")
        }
        #expect(site.runs.count == 1)
    }

    @Test(arguments: Form.allCases)
    func clientThatLeavesStopsTheHandlersBody(form: Form) async throws {
        let site = TestSite()
        let stopped = Gate(isOpen: true)
        let app = site.app(form) { routes in
            routes.get("page") { _, _ in
                Response(
                    status: .ok,
                    headers: [.cacheControl: "no-store"],
                    body: ResponseBody { writer in
                        do {
                            while true { try await writer.write(ByteBuffer(repeating: 1, count: 32 << 10)) }
                        } catch {
                            await stopped.pass()
                            throw error
                        }
                    }
                )
            }
        }
        try await LiveSite.with(app) { client in
            do {
                let response = try await client.send("/page")
                var parts = response.body.makeAsyncIterator()
                #expect(try await parts.next() != nil)
            }
            await stopped.arrivals(1)
        }
    }

    @Test(arguments: Form.allCases)
    func bodyThatBreaksOffIsNotStoredAndDoesNotLookWhole(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response(
                    status: .ok,
                    headers: Self.shared,
                    body: ResponseBody { writer in
                        try await writer.write(ByteBuffer(string: "part"))
                        throw HTTPError(.internalServerError)
                    }
                )
            }
        }
        try await LiveSite.with(app) { client in
            for _ in 0..<2 {
                let response = try await client.send("/page")
                await #expect(throws: (any Error).self) { try await response.body.collect(upTo: 100) }
            }
        }
        #expect(site.runs.count == 2)
    }

    @Test(arguments: Form.allCases)
    func trailersPassAndAreStored(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response(
                    status: .ok,
                    headers: [.cacheControl: "s-maxage=60", .trailer: "ETag"],
                    body: ResponseBody { writer in
                        try await writer.write(ByteBuffer(string: "content"))
                        try await writer.finish([.eTag: "\"end\""])
                    }
                )
            }
        }
        try await app.test(.router) { client async throws in
            for _ in 0..<2 {
                let response = try await client.get("/page", [.te: "trailers"])
                #expect(response.text == "content" && response.trailerHeaders?[.eTag] == "\"end\"")
            }
        }
        #expect(site.runs.count == 1)
    }
}
