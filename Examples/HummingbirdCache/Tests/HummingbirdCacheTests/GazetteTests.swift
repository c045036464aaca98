// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardHummingbird
import Hummingbird
import HummingbirdTesting
import Testing

@testable import HummingbirdCache

@Suite(.timeLimit(.minutes(1)))
struct GazetteTests {
    private let gazette = Gazette()

    private func test(_ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
        let cache = HTTPCache(configuration: .server)
        try await Application(router: GazetteRoutes(gazette: gazette, cache: cache).router()).test(.router, body)
        await cache.close()
    }

    private func get(_ client: any TestClientProtocol, _ uri: String, _ fields: HTTPFields = [:]) async throws -> TestResponse {
        try await client.execute(uri: uri, method: .get, headers: fields) { $0 }
    }

    @Test
    func eachPageIsMadeOnce() async throws {
        try await test { client async throws in
            for path in ["/", "/articles/1", "/archive"] {
                let made = gazette.pagesMade
                let first = try await get(client, path)
                let second = try await get(client, path)
                #expect(first.status == .ok && first.body == second.body && gazette.pagesMade == made + 1)
            }
        }
    }

    @Test
    func changeIsSeenAtOnceByAll() async throws {
        try await test { client async throws in
            #expect(String(buffer: try await get(client, "/").body).hasPrefix("The bridge opens\n"))
            #expect(String(buffer: try await get(client, "/articles/1").body).hasPrefix("The bridge opens\n"))
            try await client.execute(uri: "/articles/1", method: .put, body: ByteBuffer(string: "New")) { #expect($0.status == .noContent) }
            #expect(String(buffer: try await get(client, "/").body).hasPrefix("New\n"))
            #expect(String(buffer: try await get(client, "/articles/1").body).hasPrefix("New\n"))
            try await client.execute(uri: "/articles/9", method: .put, body: ByteBuffer(string: "New")) { #expect($0.status == .notFound) }
        }
    }

    @Test
    func readersGetTheirOwnPages() async throws {
        try await test { client async throws in
            for (token, name) in [("token-ana", "Ana"), ("token-ben", "Ben"), ("token-ana", "Ana")] {
                #expect(String(buffer: try await get(client, "/me", [.authorization: "Bearer \(token)"]).body) == "Good morning, \(name).\n")
            }
            #expect(try await get(client, "/me", [.authorization: "Bearer x"]).status == .unauthorized)
            #expect(try await get(client, "/me").status == .unauthorized)
        }
    }

    @Test
    func articlesThatAreAwayAreSaid() async throws {
        gazette.setAway(true)
        try await test { client async throws in
            #expect(try await get(client, "/").status == .serviceUnavailable)
            #expect(try await get(client, "/articles/9").status == .serviceUnavailable)
            gazette.setAway(false)
            #expect(try await get(client, "/articles/9").status == .notFound)
        }
    }

    @Test
    func programReadsItsArguments() {
        #expect(ServerProgram([])?.action == .serve(port: 8_080, nil))
        #expect(ServerProgram(["tour"])?.action == .tour)
        #expect(ServerProgram(["--key", "k", "--port", "1", "--certificate", "c"])?.action == .serve(port: 1, .init(chain: "c", key: "k")))
        for arguments in [
            ["--port"], ["--port", "x"], ["--port", "65536"], ["--port", "1", "--port", "2"], ["--key", "k"], ["tour", "x"], ["x"],
        ] {
            #expect(ServerProgram(arguments)?.action == nil)
        }
    }
}
