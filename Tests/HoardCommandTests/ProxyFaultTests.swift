// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardDisk
import HoardHTTP
import HoardTesting
import HoardTestingServer
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Mistakes of an operator, and faults of a machine.
@Suite("hoard proxy and faults", .timeLimit(.minutes(5)))
struct ProxyFaultTests {
    let directory: TemporaryDirectory
    let client = HTTPProbe()

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func aPortInUseIsOneSentenceAndAFailure() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("x") }
        let result = try await HoardProcess.run(
            "proxy",
            "--origin",
            "http://127.0.0.1:1",
            "--listen",
            "127.0.0.1:\(origin.port)",
            "--directory",
            directory.path("cache")
        )
        #expect(result.status == 1)
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.errors.contains("\(origin.port)"))
        #expect(result.errors.contains("another program listens there"))
        await origin.stop()
    }

    @Test(arguments: [
        ("localhost:3000", "has no scheme"), ("ftp://example.com", "not an http or https URL"), ("http://", "needs a host name"),
        ("http://user:secret@example.com", "neither user name nor password"), ("http://example.com/?a=b", "neither a query nor a fragment"),
    ])
    func anOriginThatIsNoURLOfAServerIsRefused(origin: String, reason: String) async throws {
        let result = try await HoardProcess.run("proxy", "--origin", origin, "--directory", directory.path("cache"))
        #expect(result.status == 64)
        #expect(result.errors.contains(reason))
        #expect(try directory.contents().isEmpty, "nothing is created for a command that cannot run")
    }

    @Test(arguments: [
        ["--listen", "nowhere"], ["--listen", "127.0.0.1:99999"], ["--max-bytes", "many"], ["--max-bytes", "-5"], ["--max-entries", "-1"],
        ["--max-bytes", "1M", "--max-object-bytes", "2M"], ["--event-loops", "0"], ["--log-level", "loud"], ["--directory", ""],
        ["--cdn-targets", "A B:"], ["--cdn-targets", "A,,B"], ["--stale-if-unreachable", "-1"],
    ])
    func optionsThatMakeNoSenseAreRefused(options: [String]) async throws {
        let directory = options.contains("--directory") ? [] : ["--directory", directory.path("cache")]
        let process = try HoardProcess(["proxy", "--origin", "http://127.0.0.1:1"] + directory + options)
        let result = await process.result()
        #expect(result.status == 64)
        #expect(result.errors.contains("Error: "))
    }

    @Test func aFileInPlaceOfTheDirectoryIsRefused() async throws {
        let path = directory.path("file")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let result = try await HoardProcess.run("proxy", "--origin", "http://127.0.0.1:1", "--directory", path)
        #expect(result.status == 1)
        #expect(result.errors.contains("directory"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
    }

    @Test(.disabled(if: getuid() != 0, "Only root can become nobody."))
    func aDirectoryThatMayNotBeReadIsRefused() async throws {
        // The user `nobody` may not even look into a directory of mode 0700 that is root's.
        let path = directory.path("private")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        chmod(directory.path, 0o755)
        let process = try HoardProcess(
            ["proxy", "--origin", "http://127.0.0.1:1", "--directory", path],
            through: ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        )
        let result = await process.result()
        // If `nobody` may not run the command itself, there is nothing to see.
        try #require(!result.errors.contains("failed to execute"), "setpriv: \(result.errors)")
        #expect(result.status == 1)
        #expect(result.errors.lowercased().contains("permi"))
    }

    @Test func aForeignDatabaseIsLeftAlone() async throws {
        let path = directory.path("cache")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let database = path + "/hoard.sqlite"
        let program = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('create table t(x)'); c.commit()"
        let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let python = try await HoardProcess(command: ["/usr/bin/env", "python3", "-c", program, database], environment: ["PATH": searchPath]).result()
        try #require(python.status == 0, "\(python.errors)")
        let before = try Data(contentsOf: URL(fileURLWithPath: database))
        let result = try await HoardProcess.run("proxy", "--origin", "http://127.0.0.1:1", "--directory", path)
        #expect(result.status == 1)
        #expect(result.errors.contains("another program made that database"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == before)
    }

    @Test func aCorruptDatabaseIsSetAsideReportedAndRebuilt() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=600"]) }
        let path = directory.path("cache")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(repeating: 0xA5, count: 50_000).write(to: URL(fileURLWithPath: path + "/hoard.sqlite"))
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: path)
        #expect(try await client.send(.get, "\(address)/").text == "hello")
        #expect(try await client.send(.get, "\(address)/").cacheStatus.contains("hit"))
        proxy.signal(SIGTERM)
        let result = await proxy.result()
        #expect(result.status == 0)
        #expect(result.errors.contains("corrupt"))
        #expect(try directory.contents(of: "cache").contains { $0.hasPrefix("hoard.sqlite.corrupt-") })
        let listing = try await HoardProcess.run("inspect", "ls", "--json", "--directory", path)
        #expect(listing.text.contains("\"status\"") == false)
        #expect(listing.text.split(separator: "\n").count == 1)
        await origin.stop()
        await client.stop()
    }

    @Test func afterAKillInTheMiddleOfWritesNoWrongByteIsServed() async throws {
        // Every body says which path it belongs to, and is long enough to span pages.
        let origin = try await FakeOrigin.start { request, _ in
            .init(body(for: request.path ?? ""), fields: [.cacheControl: "max-age=600"])
        }
        var served = 0
        for round in 0..<3 {
            let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path("cache"))
            // Pages from earlier rounds must be right.
            for number in 0..<60 {
                let path = "/\(round == 0 ? 0 : round - 1)/\(number)"
                let reply = try await client.send(.get, "\(address)\(path)")
                #expect(reply.text == body(for: path))
                if reply.cacheStatus.contains("hit") { served += 1 }
            }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask { _ = try? await client.send(.get, "\(address)/\(round)/\(number)") }
                }
                // In the middle of it, not at the end.
                for _ in 0..<80 { await group.next() }
                proxy.signal(SIGKILL)
                group.cancelAll()
                await group.waitForAll()
            }
            #expect(await proxy.result().status == -SIGKILL)
        }
        #expect(served > 0, "nothing that was written before a kill has survived")
        await origin.stop()
        await client.stop()
    }

    @Test(.disabled(if: getuid() != 0, "Only root can mount a small file system."))
    func aFullDiskMakesTheProxyPassThrough() async throws {
        let path = directory.path("small")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard mount("tmpfs", path, "tmpfs", 0, "size=512k") == 0 else {
            // In a container without the right to mount there is no small disk to fill.
            return
        }
        defer { umount2(path, 2) }
        let origin = try await FakeOrigin.start { request, _ in
            .init(body(for: request.path ?? ""), fields: [.cacheControl: "max-age=600"])
        }
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: path)
        for number in 0..<100 {
            let reply = try await client.send(.get, "\(address)/\(number)")
            #expect(reply.status == 200)
            #expect(reply.text == body(for: "/\(number)"))
        }
        // Memory goes on caching.
        #expect(try await client.send(.get, "\(address)/99").cacheStatus.contains("hit"))
        proxy.signal(SIGTERM)
        let result = await proxy.result()
        #expect(result.status == 0)
        #expect(result.errors.contains("full"))
        await origin.stop()
        await client.stop()
    }

    @Test(arguments: [("8M", "detail=TOO-LARGE"), ("512M", "; stored")])
    func aLargeResponseStreamsThroughWithoutBeingHeld(limit: String, status: String) async throws {
        let size = 128 << 20
        let origin = try await FakeOrigin.start { _, _ in
            .init(status: .ok, fields: [.cacheControl: "max-age=600"], body: .init(Zeros(count: size), length: size))
        }
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path("cache"), "--max-object-bytes", limit)
        _ = try await client.send(.get, "\(address)/warm-up", fields: [.range: "bytes=0-0"])
        let before = try residentBytes(of: proxy.processIdentifier)
        let reply = try await client.send(.get, "\(address)/large")
        #expect(reply.body.count == size)
        #expect(reply.cacheStatus.contains(status))
        let peak = try residentBytes(of: proxy.processIdentifier)
        #expect(peak - before < 64 << 20, "memory rose by \((peak - before) >> 20) MiB")
        proxy.signal(SIGTERM)
        _ = await proxy.result()
        await origin.stop()
        await client.stop()
    }
}

/// A body that cannot be mistaken for another path's.
private func body(for path: String) -> String {
    String(repeating: "[\(path)]", count: 1_500)
}

/// The most memory a process has held so far.
private func residentBytes(of pid: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split(whereSeparator: { !$0.isNumber }).joined())) * 1024
}
