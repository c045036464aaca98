// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Screens

@Suite(.timeLimit(.minutes(5)))
struct ShellTests {
    /// The output of the client for these typed lines.
    private func printed(_ typed: String...) async throws -> Lines {
        let directory = try TemporaryDirectory()
        let lines = Lines()
        try await withServer { _, url in
            let browser = try Browser(url: url, directory: directory.path, clock: .standing)
            var shell = Shell(browser: browser) { lines.append($0) }
            await shell.run(
                AsyncStream { continuation in
                    typed.forEach { continuation.yield($0) }; continuation.finish()
                }
            )
            await browser.close()
        }
        return lines
    }

    @Test
    func firstScreenIsOpenedWithoutBeingAskedFor() async throws {
        let lines = try await printed()
        #expect(
            lines.rows("open", "prefetch") == [
                "open home miss sent by the server 1 request", "prefetch 3 screens kept for when they are needed 3 requests",
            ]
        )
        #expect(lines.all.contains("    [2] All we have"))
    }

    @Test
    func buttonsLeadToOtherScreensAndBack() async throws {
        let rows = try await printed("2", "1", "back", "back", "back", "").rows("open")
        #expect(
            rows == [
                "open home miss sent by the server 1 request", "open categories prefetched fetched before it was asked for 0 requests",
                "open categories/tea prefetched fetched before it was asked for 0 requests", "open categories hit from memory 0 requests",
                "open home hit from memory 0 requests",
            ]
        )
    }

    @Test
    func profileNeedsALogin() async throws {
        let lines = try await printed("1", "login ana", "again", "again", "logout", "again")
        #expect(
            lines.rows("open").dropFirst() == [
                "open profile failed the server wants to know who asks (401) 1 request", "open profile miss sent by the server 1 request",
                "open profile hit from memory 0 requests", "open profile failed the server wants to know who asks (401) 1 request",
            ]
        )
        #expect(lines.all.contains("    Profile of Ana"))
    }

    @Test
    func priceIsChangedInTheShop() async throws {
        let lines = try await printed("price 1 4.90", "price 9 1", "open /screens/products/2", "watch", "price 2 1", "refresh")
        #expect(lines.all.contains("The price is changed. The app does not know it yet."))
        #expect(lines.all.contains("The shop has not done it."))
        #expect(lines.rows("refresh") == ["refresh products/2 changed the server has another state of it 1 request"])
        #expect(lines.rows("watch") == ["watch products/2 hit from memory 0 requests"])
    }

    @Test
    func countersAreShown() async throws {
        let lines = try await printed("2", "back", "open /screens/nothing", "stats").all
        #expect(lines.contains("  Opened: 4. Hits: 1, prefetched: 1, misses: 1,"))
        #expect(lines.contains("  renewed: 0, stand-ins: 0, failed: 1."))
        #expect(lines.contains("  The server has seen: 7 requests, of all clients together."))
    }

    @Test
    func whatMakesNoSenseIsSaid() async throws {
        let lines = try await printed("back", "77", "dance", " ", "help", "quit", "open /screens/terms")
        #expect(lines.all.contains("This is the first screen."))
        #expect(lines.all.contains("There is no button 77."))
        #expect(lines.all.count { $0 == "What is that? help says what can be done." } == 1)
        #expect(lines.all.contains(ShellCommand.helpText))
        #expect(lines.rows("open").count == 1)
    }
}
