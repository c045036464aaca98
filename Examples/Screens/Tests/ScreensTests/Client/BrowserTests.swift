// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardViews
import Testing

@testable import Screens

/// The app's view of a server that really runs.
@Suite(.timeLimit(.minutes(5)))
struct BrowserTests {
    private let directory: TemporaryDirectory
    private let clock = TravelClock.standing

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs `body` with a server and an app that has never been started before.
    private func withBrowser(_ body: (ShopServer, Browser) async throws -> Void) async throws {
        try await withServer { server, url in
            let browser = try Browser(url: url, directory: directory.path, clock: clock)
            do {
                try await body(server, browser)
                await browser.close()
            } catch {
                await browser.close()
                throw error
            }
        }
    }

    private func restarted(_ browser: Browser) async throws -> Browser {
        await browser.close()
        return try Browser(url: browser.url, directory: directory.path, clock: clock)
    }

    @Test(arguments: ["home", "categories", "categories/tea", "products/1"])
    func screenIsSentOnce(name: String) async throws {
        try await withBrowser { server, browser in
            let first = await browser.open("/screens/" + name)
            #expect(first.outcome == .miss)
            #expect(first.requests == RequestCounts(requests: 1))
            let second = await browser.open("/screens/" + name)
            #expect(second.outcome == .hit)
            #expect(second.requests == RequestCounts())
            #expect(second.text?.lines == first.text?.lines)
            #expect(await server.counts == RequestCounts(requests: 1))
        }
    }

    @Test(arguments: ["home", "categories", "terms"])
    func screenOutlivesTheApp(name: String) async throws {
        try await withBrowser { server, browser in
            let first = await browser.open("/screens/" + name)
            let next = try await restarted(browser)
            let second = await next.open("/screens/" + name)
            #expect(second.outcome == .hit)
            #expect(second.text?.lines == first.text?.lines)
            #expect(await server.counts == RequestCounts(requests: 1))
            await next.close()
        }
    }

    @Test(arguments: [("home", 60), ("categories", 300), ("products/2", 120), ("terms", 3_600)])
    func expiredScreenIsRenewedAndValidForAsLongAgain(name: String, seconds: Int) async throws {
        try await withBrowser { server, browser in
            let path = "/screens/" + name
            _ = await browser.open(path)
            for round in 1...2 {
                clock.advance(by: seconds + 1)
                let renewed = await browser.open(path)
                #expect(renewed.outcome == .renewed)
                #expect(renewed.requests == RequestCounts(requests: 1, notModified: 1))
                #expect(await browser.open(path).outcome == .hit)
                #expect(await server.counts == RequestCounts(requests: 1 + round, notModified: round))
            }
        }
    }

    @Test
    func newStateIsSeenAfterTheOldOneHasExpiredAndNotBefore() async throws {
        try await withBrowser { _, browser in
            let old = await browser.open("/screens/products/1")
            #expect(old.text?.lines.contains("€ 6.90") == true)
            #expect(await browser.setPrice(490, ofProduct: 1))
            #expect(await browser.open("/screens/products/1").outcome == .hit)
            clock.advance(by: 121)
            let new = await browser.open("/screens/products/1")
            #expect(new.outcome == .changed)
            #expect(new.text?.lines.contains("€ 4.90") == true)
            #expect(new.requests == RequestCounts(requests: 1))
        }
    }

    @Test(arguments: ["home", "terms"])
    func refreshAsksAboutAScreenThatIsValid(name: String) async throws {
        try await withBrowser { server, browser in
            let path = "/screens/" + name
            _ = await browser.open(path)
            #expect(await browser.open(path, revalidates: true).outcome == .renewed)
            #expect(await server.counts == RequestCounts(requests: 2, notModified: 1))
            await server.stop()
            // The user does not have to hear that the server is away: the screen is valid.
            #expect(await browser.open(path, revalidates: true).text != nil)
        }
    }

    @Test
    func refreshSeesANewStateAtOnce() async throws {
        try await withBrowser { _, browser in
            _ = await browser.open("/screens/products/1")
            #expect(await browser.setPrice(490, ofProduct: 1))
            let visit = await browser.open("/screens/products/1", revalidates: true)
            #expect(visit.outcome == .changed)
            #expect(visit.text?.lines.contains("€ 4.90") == true)
            #expect(await browser.open("/screens/products/1").text?.lines.contains("€ 4.90") == true)
        }
    }

    @Test
    func watcherGetsTheOldStateAtOnceAndThenTheNewOne() async throws {
        try await withBrowser { _, browser in
            _ = await browser.open("/screens/products/1")
            #expect(await browser.setPrice(490, ofProduct: 1))
            clock.advance(by: 600)
            var visits: [Visit] = []
            for await visit in browser.updates(of: "/screens/products/1") { visits.append(visit) }
            #expect(visits.map(\.outcome) == [.stale, .changed])
            #expect(visits.map { $0.text?.lines.contains("€ 4.90") } == [false, true])
        }
    }

    @Test
    func watcherOfAStateThatIsStillTheOneGetsItOnce() async throws {
        try await withBrowser { server, browser in
            _ = await browser.open("/screens/products/1")
            clock.advance(by: 600)
            var visits: [Visit] = []
            for await visit in browser.updates(of: "/screens/products/1") { visits.append(visit) }
            #expect(visits.map(\.outcome) == [.stale])
            #expect(await server.counts == RequestCounts(requests: 2, notModified: 1))
            #expect(await browser.open("/screens/products/1").outcome == .hit)
        }
    }

    @Test
    func prefetchedScreensCostOneRequestEach() async throws {
        try await withBrowser { server, browser in
            let home = await browser.open("/screens/home")
            #expect(home.prefetchPaths == ["/screens/categories", "/screens/products/1", "/screens/products/3"])
            let (report, requests) = await browser.prefetch(home.prefetchPaths)
            #expect(report.fetchedCount == 3)
            #expect(requests == RequestCounts(requests: 3))
            for path in home.prefetchPaths {
                #expect(await browser.open(path).outcome == .prefetched)
                #expect(await browser.open(path).outcome == .hit)
            }
            #expect(await server.counts == RequestCounts(requests: 4))
            #expect(report.usedCount == 3)
        }
    }

    @Test
    func prefetchesThatFailHarmNobody() async throws {
        try await withBrowser { server, browser in
            let (report, requests) = await browser.prefetch(["/screens/nothing", "/screens/home", "http://localhost:1/"])
            #expect(report.failedCount == 2)
            #expect(report.fetchedCount == 1)
            #expect(requests == RequestCounts(requests: 2))
            #expect(await browser.open("/screens/home").outcome == .prefetched)
            await server.stop()
            let (later, unknown) = await browser.prefetch(["/screens/home", "/screens/terms"])
            #expect(later.alreadyKeptCount == 1)
            #expect(later.failedCount == 1)
            #expect(unknown == nil)
        }
    }

    @Test
    func prefetchAndReaderAtOnceCostOneRequest() async throws {
        try await withBrowser { server, browser in
            async let prefetched = browser.prefetch(["/screens/products/1"])
            async let opened = browser.open("/screens/products/1")
            #expect(await prefetched.report.failedCount == 0)
            #expect(await opened.text?.lines.contains("€ 6.90") == true)
            #expect(await server.counts == RequestCounts(requests: 1))
        }
    }

    @Test
    func twoAppsShareADirectory() async throws {
        try await withBrowser { server, browser in
            let other = try Browser(url: browser.url, directory: directory.path, clock: clock)
            _ = await browser.open("/screens/home")
            await browser.flush()
            #expect(await other.open("/screens/home").outcome == .hit)
            #expect(await server.counts == RequestCounts(requests: 1))
            await other.close()
        }
    }

    @Test
    func hundredReadersAtOnceCostOneRequest() async throws {
        try await withBrowser { server, browser in
            let texts = await withTaskGroup(of: [String]?.self, returning: [[String]?].self) { group in
                for _ in 0..<100 { group.addTask { await browser.open("/screens/products/3").text?.lines } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(texts.count == 100)
            #expect(texts.allSatisfy { $0?.contains("€ 24.00") == true })
            #expect(await server.counts == RequestCounts(requests: 1))
        }
    }

    @Test
    func keptScreensStandInForAServerThatIsAway() async throws {
        try await withBrowser { server, browser in
            let first = await browser.open("/screens/home")
            let terms = await browser.open("/screens/terms")
            await server.stop()
            #expect(await browser.open("/screens/home").outcome == .hit)
            clock.advance(by: 3_601)
            for (path, lines) in [("/screens/home", first.text?.lines), ("/screens/terms", terms.text?.lines)] {
                let visit = await browser.open(path)
                #expect(visit.outcome == .standIn)
                #expect(visit.note == "the server is away; this is 60 minutes old")
                #expect(visit.text?.lines == lines)
                #expect(visit.requests == nil)
            }
            let other = await browser.open("/screens/products/4")
            #expect(other.outcome == .failed)
            #expect(other.note == "the server is away, and it is not kept")
            #expect(other.text == nil)
            try await server.start()
            #expect(await browser.open("/screens/home").outcome == .renewed)
            #expect(await browser.open("/screens/products/4").outcome == .miss)
        }
    }

    @Test
    func appThatIsStartedWithoutAServerShowsWhatItHas() async throws {
        try await withBrowser { server, browser in
            _ = await browser.open("/screens/home")
            await server.stop()
            clock.advance(by: 600)
            let next = try await restarted(browser)
            #expect(await next.open("/screens/home").outcome == .standIn)
            await next.close()
        }
    }

    @Test
    func profileIsNeverOnTheDisk() async throws {
        try await withBrowser { _, browser in
            _ = await browser.open("/screens/home")
            await browser.logIn(Account("ana"))
            #expect(await browser.open("/screens/profile").outcome == .miss)
            #expect(await browser.open("/screens/profile").outcome == .hit)
            await browser.flush()
            #expect(DiskSearch.contains("Tea of the day", below: directory.path))
            #expect(!DiskSearch.contains("Rua das Flores", below: directory.path))
            #expect(!DiskSearch.contains("token-ana", below: directory.path))
            let next = try await restarted(browser)
            #expect(!DiskSearch.contains("Rua das Flores", below: directory.path))
            await next.logIn(Account("ana"))
            #expect(await next.open("/screens/profile").outcome == .miss)
            await next.close()
        }
    }

    @Test
    func logoutForgetsTheUserAndNothingElse() async throws {
        try await withBrowser { server, browser in
            _ = await browser.open("/screens/home")
            await browser.logIn(Account("ana"))
            #expect(await browser.open("/screens/profile").text?.lines.contains("Rua das Flores 7, Porto") == true)
            await browser.logOut()
            let outside = await browser.open("/screens/profile")
            #expect(outside.outcome == .failed)
            #expect(outside.note == "the server wants to know who asks (401)")
            await browser.logIn(Account("ben"))
            #expect(await browser.open("/screens/profile").text?.lines.contains("Mill Lane 4, Leeds") == true)
            await browser.logIn(Account("ana"))
            #expect(await browser.open("/screens/profile").outcome == .miss)
            #expect(await browser.open("/screens/home").outcome == .hit)
            // With the server away, no screen of another user stands in.
            await browser.logIn(Account("ben"))
            await server.stop()
            #expect(await browser.open("/screens/profile").outcome == .failed)
        }
    }

    @Test
    func screenThatDoesNotExistIsNotShown() async throws {
        try await withBrowser { _, browser in
            let visit = await browser.open("/screens/nothing")
            #expect(visit.outcome == .failed)
            #expect(visit.note == "the server has no such screen (404)")
        }
    }

    @Test
    func screensLeadToNoOtherServer() async throws {
        try await withBrowser { server, browser in
            #expect(await browser.open("http://localhost:1/screens/home").outcome == .failed)
            #expect(await server.counts == RequestCounts())
        }
    }
}
