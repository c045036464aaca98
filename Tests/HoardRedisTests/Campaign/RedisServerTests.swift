// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import HoardProcessTestSupport
import HoardRedisTestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), .timeLimit(.minutes(2)))
struct RedisServerTests {
    @Test func aServerAnswersAndIsGoneWhenItIsStopped() async throws {
        let server = try await RedisServer.start()
        #expect(try server.command("SET", "k", "v\r\nw") == .text("OK"))
        #expect(try server.command("GET", "k") == .text("v\r\nw"))
        #expect(try server.command("GET", "other") == .null)
        #expect(try server.command("INCR", "k").description.hasPrefix("ERR"))
        #expect(try server.command("LPUSH", "list", "a", "b") == .integer(2))
        #expect(try server.command("LRANGE", "list", "0", "-1") == .array([.text("b"), .text("a")]))
        let directory = server.directory
        #expect(FileManager.default.fileExists(atPath: directory))
        server.stop()
        #expect(!FileManager.default.fileExists(atPath: directory))
        #expect(throws: SystemFailure.self) { try server.command("PING") }
        server.stop()
    }

    @Test func aKilledServerComesBackEmptyAtTheSameAddress() async throws {
        let server = try await RedisServer.start()
        let port = server.port
        try server.command("SET", "k", "v")
        server.kill()
        #expect(throws: SystemFailure.self) { try server.command("PING") }
        try await server.restart()
        #expect(server.port == port)
        #expect(try server.command("GET", "k") == .null)
        #expect(try server.information("tcp_port") == "\(port)")
    }

    @Test func aPausedServerAnswersWhenItGoesOn() async throws {
        let server = try await RedisServer.start()
        server.pause()
        let identifier = try #require(server.processIdentifier)
        #if os(Linux)
            let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/\(identifier)/stat")), as: UTF8.self)
            #expect(status.contains(") T "))
        #endif
        server.resume()
        #expect(try server.command("PING") == .text("PONG"))
    }

    @Test func usersAndSettingsAreTheOnesGiven() async throws {
        let server = try await RedisServer.start(.init(users: ["default off", "reader on >secret ~* +get"], settings: ["maxmemory 4mb"]))
        #expect(try server.command("CONFIG", "GET", "maxmemory") == .array([.text("maxmemory"), .text("4194304")]))
        let users = try server.command("ACL", "LIST").description
        #expect(users.contains("user reader on"))
        #expect(users.contains("user default off"))
    }

    @Test func aServerWithACertificateListensOnASecondPort() async throws {
        let server = try await RedisServer.start(.init(certificate: .first))
        #expect(server.tlsAddress != nil)
        #expect(server.tlsAddress != server.address)
    }

    @Test func allSuitesShareOneServer() async throws {
        let first = try await RedisServer.shared()
        let second = try await RedisServer.shared()
        #expect(first === second)
        #expect(try first.command("PING") == .text("PONG"))
    }
}
