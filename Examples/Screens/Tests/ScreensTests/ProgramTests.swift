// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Screens

/// The two programs, as processes.
@Suite(.timeLimit(.minutes(5)))
struct ProgramTests {
    /// Starts a server on a free port.
    private func startServer() async throws -> (ProgramProcess, url: String) {
        let server = try ProgramProcess("ScreensServer", ["--port", "0"])
        var lines = server.lines.makeAsyncIterator()
        let line = try #require(await lines.next())
        let url = try #require(line.split(separator: " ").last { $0.hasPrefix("http://") })
        return (server, String(url))
    }

    @Test
    func clientWithoutArgumentsTakesTheTour() async throws {
        let (lines, status) = await (try ProgramProcess("ScreensClient")).result()
        #expect(status == 0)
        #expect(lines.first == "A tea shop whose screens come from a server, and an app that keeps them.")
        #expect(lines.last?.hasPrefix("The app has opened ") == true)
    }

    @Test
    func clientBrowsesAServerThatRunsAndLaterOneThatDoesNot() async throws {
        let directory = try TemporaryDirectory()
        let (server, url) = try await startServer()
        let first = try ProgramProcess("ScreensClient", [url, "--cache", directory.path], input: "2\nback\n")
        let (lines, status) = await first.result()
        #expect(status == 0)
        #expect(lines.count { $0.contains(" 1 request") } == 1)
        #expect(lines.count { $0.contains(" prefetched ") } == 1)
        #expect(lines.contains { $0.hasPrefix("  open      home") && $0.contains(" hit ") })
        server.terminate()
        #expect(await server.result().status == 0)
        let second = try ProgramProcess("ScreensClient", [url + "/", "--cache", directory.path], input: "open /screens/products/4\nquit\n")
        let (later, laterStatus) = await second.result()
        #expect(laterStatus == 0)
        #expect(later.contains { $0.hasPrefix("  open      home") && $0.hasSuffix(" server away") && !$0.contains(" failed ") })
        #expect(later.contains { $0.contains(" failed ") && $0.contains("the server is away, and it is not kept") })
    }

    @Test(arguments: [
        ("ScreensClient", ["--cache", "x"]), ("ScreensClient", ["ftp://x"]), ("ScreensClient", ["http://a", "http://b"]),
        ("ScreensClient", ["http://a", "--cache"]), ("ScreensServer", ["--port"]), ("ScreensServer", ["--port", "x"]),
        ("ScreensServer", ["--port", "65536"]), ("ScreensServer", ["8080"]),
    ])
    func argumentsThatMakeNoSenseGetTheUsage(program: String, arguments: [String]) async throws {
        let (lines, status) = await (try ProgramProcess(program, arguments)).result()
        #expect(status == 64)
        #expect(lines.first?.hasPrefix("Usage: \(program)") == true)
    }

    @Test
    func portThatIsTakenIsSaid() async throws {
        let (server, url) = try await startServer()
        let port = try #require(url.split(separator: ":").last)
        let (lines, status) = await (try ProgramProcess("ScreensServer", ["--port", String(port)])).result()
        #expect(status == 1)
        #expect(lines.contains { $0.hasPrefix("The shop cannot open:") })
        server.terminate()
        #expect(await server.result().status == 0)
    }
}
