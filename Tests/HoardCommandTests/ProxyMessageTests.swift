// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting
import HoardTestingServer
import HoardTransports
import NIOCore
import Synchronization
import Testing

/// The parts of messages that `hoard proxy` passes on beside heads and content.
@Suite("hoard proxy and messages", .timeLimit(.minutes(5)))
struct ProxyMessageTests {
    let directory: TemporaryDirectory
    let client = HTTPProbe()

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs a proxy in front of an origin.
    private func withProxy(
        _ options: String...,
        origin handler: @escaping FakeOrigin.Handler,
        body: (_ address: String, _ origin: FakeOrigin) async throws -> Void
    ) async throws {
        let origin = try await FakeOrigin.start(handler)
        let process = try HoardProcess(
            ["proxy", "--origin", origin.url, "--listen", "127.0.0.1:0", "--directory", directory.path("cache")] + options
        )
        let line = try await process.errorLine(holding: "serving http://")
        let address = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") })
        try await body(String(address), origin)
        process.signal(SIGTERM)
        #expect(await process.result().status == 0)
        await origin.stop()
        await client.stop()
    }

    @Test func interimResponsesReachTheClientThatCausedThem() async throws {
        let link = try #require(HTTPField.Name("Link"))
        let handler: FakeOrigin.Handler = { _, _ in
            var response = FakeOrigin.Response("ok", fields: [.cacheControl: "max-age=600"])
            response.interimResponses = [HTTPResponse(status: .init(code: 103), headerFields: [link: "</style.css>; rel=preload"])]
            return response
        }
        try await withProxy(origin: handler) { address, origin in
            let transport = NIOTransport()
            let authority = String(address.dropFirst("http://".count))
            let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
            for interimCount in [1, 0] {
                let seen = Mutex<[HTTPResponse]>([])
                let response = try await transport.send(request, body: .empty) { interim in seen.withLock { $0.append(interim) } }
                #expect(try await response.body.collect(upTo: 10) == ByteBuffer(string: "ok"))
                #expect(seen.withLock { $0.count } == interimCount)
                #expect(seen.withLock { $0.allSatisfy { $0.status.code == 103 && $0.headerFields[link] == "</style.css>; rel=preload" } })
            }
            #expect(origin.requests.count == 1)
            await transport.shutdown()
        }
    }

    @Test func trailersOfTheOriginReachTheClient() async throws {
        let name = try #require(HTTPField.Name("X-Checksum"))
        let handler: FakeOrigin.Handler = { _, _ in
            .init(fields: [.cacheControl: "no-store"], body: HTTPBody(Zeros(count: 10), length: nil) { [name: "1", .setCookie: "never=1"] })
        }
        try await withProxy(origin: handler) { address, _ in
            let transport = NIOTransport()
            let authority = String(address.dropFirst("http://".count))
            let response = try await transport.send(HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/"), body: .empty)
            #expect(try await response.body.collect(upTo: 10).readableBytes == 10)
            #expect(response.body.trailers == [name: "1"])
            await transport.shutdown()
        }
    }

    @Test(arguments: [("CDN-Cache-Control", true), ("", false), ("Hoard-Cache-Control, CDN-Cache-Control", true), ("Hoard-Cache-Control", false)])
    func operatorSaysWhichFieldsAreForThisCache(targets: String, isStored: Bool) async throws {
        let name = try #require(HTTPField.Name("CDN-Cache-Control"))
        try await withProxy("--cdn-targets", targets, origin: { _, _ in .init("ok", fields: [.cacheControl: "no-store", name: "max-age=600"]) }) {
            address,
            origin in
            for _ in 0..<2 { _ = try await client.send(.get, "\(address)/") }
            #expect(origin.requests.count == (isStored ? 1 : 2))
        }
    }

    @Test(arguments: [("60", 200), ("0", 502)])
    func staleResponseStandsInForAnOriginThatIsAwayIfTheOperatorWants(seconds: String, status: Int) async throws {
        let handler: FakeOrigin.Handler = { _, _ in .init("ok", fields: [.cacheControl: "max-age=1", .eTag: "\"1\"", .age: "5"]) }
        try await withProxy("--stale-if-unreachable", seconds, origin: handler) { address, origin in
            let stored = try await client.send(.get, "\(address)/")
            #expect(stored.status == 200)
            await origin.stop()
            let standIn = try await client.send(.get, "\(address)/")
            #expect(standIn.status == status)
        }
    }
}
