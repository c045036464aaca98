// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardViews

/// A day of the app, with a server of its own. The client runs it when it gets no arguments.
///
/// Each chapter is a situation that an app gets into. The tour does not wait for time to pass: ``TravelClock``.
struct Tour {
    private let server: ShopServer
    private let url: String
    private let directory: String
    private let report: Report
    private let clock = TravelClock.standing
    private var browser: Browser
    private var chapterCount = 0
    private var openedCount = 0

    /// Takes the tour.
    ///
    /// - Parameters:
    ///   - directory: Where the app keeps screens. An empty one.
    ///   - print: Gets each line.
    static func run(directory: String, print: @escaping @Sendable (String) -> Void) async throws {
        let server = ShopServer()
        let url = try await server.start()
        do {
            var tour = try Tour(server, url, directory, Report(print: print))
            try await tour.take()
            await tour.browser.close()
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private init(_ server: ShopServer, _ url: String, _ directory: String, _ report: Report) throws {
        self.server = server
        self.url = url
        self.directory = directory
        self.report = report
        browser = try Browser(url: url, directory: directory, clock: clock)
    }

    private mutating func take() async throws {
        report.say("A tea shop whose screens come from a server, and an app that keeps them.")
        await firstVisit()
        try await secondStart()
        await tenMinutesLater()
        await newPrice()
        try await serverAway()
        await termsByHTTP()
        try await accounts()
        let counts = await server.counts
        report.say()
        report.say(
            "The app has opened \(openedCount) screens. The server has seen \(counts.requests) requests, \(counts.notModified) of them answered with 304."
        )
    }

    private mutating func firstVisit() async {
        chapter("The first visit. What a screen leads to is fetched before it is needed.")
        await prefetch(await open("home"))
        await prefetch(await open("categories"))
        await open("categories/tea")
        await open("products/1")
        await open("home")
    }

    private mutating func secondStart() async throws {
        chapter("The app is closed and started again.")
        try await restart()
        await open("home")
        await open("categories/pots")
        await open("home")
    }

    private mutating func tenMinutesLater() async {
        chapter("Ten minutes later. The screens are not valid any more, but nothing has changed.")
        clock.advance(by: 600)
        await open("home")
        await open("home")
    }

    private mutating func newPrice() async {
        chapter("Green tea becomes cheaper. The app shows what it has, asks, and shows what is new.")
        _ = await browser.setPrice(490, ofProduct: 1)
        openedCount += 1
        for await visit in browser.updates(of: "/screens/products/1") {
            report.visit("watch", visit)
            if let text = visit.text { report.say("            " + text.lines.prefix(3).joined(separator: " | ")) }
        }
        await open("products/1")
    }

    private mutating func serverAway() async throws {
        chapter("The server is away, and stays away until the screens are not valid any more.")
        await server.stop()
        await open("products/1")
        clock.advance(by: 600)
        await open("products/1")
        await open("home")
        await open("products/4")
        chapter("The server is back.")
        try await server.start()
        await open("home")
        await open("products/4")
    }

    private mutating func termsByHTTP() async {
        chapter("A screen without a hash: Cache-Control and ETag do the same, and an hour is an hour.")
        await open("terms")
        await open("terms")
        clock.advance(by: 3_601)
        await open("terms")
    }

    private mutating func accounts() async throws {
        chapter("Ana logs in. Her profile is kept in memory, never on the disk.")
        await browser.logIn(Account("ana"))
        await open("profile")
        await open("profile")
        await searchDisk(for: "Tea of the day")
        await searchDisk(for: "Rua das Flores")
        chapter("She logs out, and everything of hers is gone. Ben logs in.")
        await browser.logOut()
        await open("profile")
        await browser.logIn(Account("ben"))
        let profile = await open("profile")
        if let text = profile.text { report.say("            " + text.lines.joined(separator: " | ")) }
        chapter("The app is started again: shared screens are there, the profile is not.")
        try await restart()
        await browser.logIn(Account("ben"))
        await open("terms")
        await open("profile")
    }

    private mutating func chapter(_ text: String) {
        chapterCount += 1
        report.say()
        report.say("\(chapterCount). \(text)")
    }

    @discardableResult
    private mutating func open(_ name: String) async -> Visit {
        openedCount += 1
        let visit = await browser.open("/screens/" + name)
        report.visit("open", visit)
        return visit
    }

    private func prefetch(_ visit: Visit) async {
        let (result, requests) = await browser.prefetch(visit.prefetchPaths)
        report.prefetch(result, requests)
    }

    private mutating func restart() async throws {
        await browser.close()
        browser = try Browser(url: url, directory: directory, clock: clock)
    }

    private func searchDisk(for text: String) async {
        await browser.flush()
        let isThere = DiskSearch.contains(text, below: directory)
        report.say("  search    the files of the cache for \"\(text)\": \(isThere ? "found" : "not found")")
    }
}
