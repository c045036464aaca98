// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardRedisTestSupport
import HoardTesting
import HoardTestingServer
import Testing

@testable import HoardCommand

/// `hoard proxy --redis`: refused options, the secrecy of the password, and processes that share.
@Suite("hoard proxy and Redis", .timeLimit(.minutes(5)))
struct ProxyRedisTests {
    let directory: TemporaryDirectory
    let client = HTTPProbe()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let path = directory.path(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    // MARK: What is refused

    @Test(arguments: [
        (["--redis", "redis://h", "--max-bytes", "1G"], "--redis (redis.url) and --max-bytes (cache.disk) contradict each other"),
        (["--redis", "h:6379"], "--redis: This is no URL of a Redis"), (["--redis-password-file", "p"], "no Redis: give --redis URL too"),
        (["--redis", "redis://h", "--redis-trust-roots", "t"], "not a rediss one"),
        (["--redis", "redis://h", "--redis-timeout", "0"], "--redis-timeout"),
        (["--redis", "redis://:s3cret@h"], "A password does not belong here"),
        (["--redis", "redis://h", "--redis-key-prefix", "a b"], "no prefix of keys"),
    ])
    func whatMakesNoSenseIsAUsageError(options: [String], sentence: String) async throws {
        let result = try await HoardProcess(["proxy", "--origin", "http://127.0.0.1:1"] + options).result()
        #expect(result.status == 64)
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(!result.errors.contains("s3cret"))
    }

    @Test(arguments: ["redis://h:port", "redis://", "redis://h/database", "redis://:s3cret@h:0x", "redis://h?unknown=s3cret", "unix://"])
    func aURLThatLeadsNowhereIsOneSentenceWithoutThePassword(url: String) async throws {
        let result = try await HoardProcess.run("proxy", "--origin", "http://127.0.0.1:1", environment: ["HOARD_PROXY_REDIS": url])
        #expect(result.status != 0)
        #expect(result.errors.contains("redis"), "\(result.errors)")
        #expect(!result.errors.contains("s3cret"))
    }

    @Test(arguments: ["--check-config", "--print-config"]) func checkingAndPrintingTellNoPassword(option: String) async throws {
        let environment = ["HOARD_PROXY_REDIS": "redis://user:s3cret@127.0.0.1:1/3"]
        let result = try await HoardProcess.run("proxy", "--origin", "http://127.0.0.1:1", option, environment: environment)
        #expect(result.status == 0, "\(result.errors)")
        #expect(!result.errors.contains("s3cret") && !result.text.contains("s3cret"))
        #expect(option == "--check-config" || result.text.contains("url: \"redis://user@127.0.0.1:1/3\""))
    }

    @Test func filesThatSettingsNameAreLookedAt() async throws {
        let options = ["proxy", "--origin", "http://127.0.0.1:1", "--redis", "rediss://h", "--check-config"]
        let roots = try await HoardProcess(options + ["--redis-trust-roots", directory.path("ca.pem")]).result()
        #expect(roots.status == 1 && roots.errors.contains("ca.pem cannot be read as certificates in PEM form"))
        let password = try await HoardProcess(options + ["--redis-password-file", directory.path("password")]).result()
        #expect(password.status == 1 && password.errors.contains("password cannot be read"))
    }

    @Test func aPasswordFileHoldsOneLine() throws {
        #expect(try RedisPassword.read(write("s3cret", to: "a")) == "s3cret")
        #expect(try RedisPassword.read(write("with spaces \n", to: "b")) == "with spaces ")
        #expect(try RedisPassword.read(write("s3cret\r\n", to: "c")) == "s3cret")
        for text in ["", "\n", "two\nlines", String(repeating: "x", count: 5_000)] {
            let path = try write(text, to: "d")
            #expect(throws: ProxyCommandError.self) { try RedisPassword.read(path) }
        }
        #expect(throws: ProxyCommandError.self) { try RedisPassword.read(directory.path("none")) }
    }

    @Test func aPasswordFileForAllIsTold() async throws {
        let path = try write("s3cret", to: "password", mode: 0o644)
        let result = try await HoardProcess.run(
            "proxy",
            "--origin",
            "http://127.0.0.1:1",
            "--redis",
            "redis://h",
            "--redis-password-file",
            path,
            "--check-config"
        )
        #expect(result.status == 0)
        #expect(result.errors.contains("other users of this machine can read the Redis password") && !result.errors.contains("s3cret"))
    }

    // MARK: Serving

    @Test func aProxyWhoseRedisIsNotThereServesAndKeepsNothingOnDisk() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("x", fields: [.cacheControl: "max-age=600"]) }
        let redis = "redis://127.0.0.1:1"
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path("cache"), "--redis", redis)
        #expect(try await proxy.errorLine(holding: "serving").contains("cache shared through \(redis)"))
        for _ in 1...2 { #expect(try await client.send(.get, "\(address)/").text == "x") }
        #expect(try directory.contents().isEmpty)
        proxy.signal(SIGTERM)
        #expect(await proxy.result().status == 0)
        await origin.stop()
        await client.stop()
    }

    @Test func aReloadSaysThatARedisTakesARestart() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("x") }
        func settings(_ prefix: String) -> String {
            "origin: \(origin.url)\nlisten: 127.0.0.1:0\nredis: {url: 'redis://127.0.0.1:1', key-prefix: \(prefix)}\n"
        }
        let path = try write(settings("a"), to: "hoard.yaml")
        let proxy = try HoardProcess(["proxy", "--config", path])
        _ = try await proxy.errorLine(holding: "serving http://")
        _ = try write(settings("b"), to: "hoard.yaml")
        proxy.signal(SIGHUP)
        _ = try await proxy.errorLine(holding: "a restart is needed for redis")
        proxy.signal(SIGTERM)
        #expect(await proxy.result().status == 0)
        await origin.stop()
    }

    @Test(.enabled(if: RedisServer.isAvailable, Comment(rawValue: RedisServer.requirement)))
    func twoProcessesWithAPasswordShareWhatTheyStore() async throws {
        let server = try await RedisServer.start(.init(users: ["default on >s3cret ~* &* +@all"]))
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=600"]) }
        let password = try write("s3cret\n", to: "password")
        let options = ["--redis", "redis://127.0.0.1:\(server.port)", "--redis-password-file", password]
        var members: [(process: HoardProcess, address: String)] = []
        for _ in 1...2 {
            members.append(
                try await HoardProcess.proxy(
                    origin: origin.url,
                    directory: directory.path("cache"),
                    options[0],
                    options[1],
                    options[2],
                    options[3]
                )
            )
        }
        // The first answer comes before Redis has got it. So the other process is asked for the one before, and does not ask the origin itself.
        var number = 0
        try await waitUntil {
            number += 1
            _ = try await client.send(.get, "\(members[0].address)/\(number)")
            let url = "\(members[1].address)/\(number - 1)"
            return try await client.send(.get, url, fields: [.cacheControl: "only-if-cached"]).cacheStatus.contains("; hit")
        }
        for member in members {
            member.process.signal(SIGTERM)
            let result = await member.process.result()
            #expect(result.status == 0)
            #expect(!result.errors.contains("s3cret"))
        }
        server.stop()
        await origin.stop()
        await client.stop()
    }
}
