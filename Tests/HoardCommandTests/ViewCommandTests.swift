// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting
import HoardTestingServer
import Synchronization
import Testing

@Suite("hoard view", .timeLimit(.minutes(5)))
struct ViewCommandTests {
    let directory: TemporaryDirectory
    let cache: [String]

    init() throws {
        directory = try TemporaryDirectory()
        cache = ["--directory", directory.path("cache")]
    }

    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> HoardProcess.Result {
        await (try HoardProcess(["view"] + arguments + cache, environment: environment)).result()
    }

    private static func text(_ text: String) -> String { #"{"_beagleComponent_": "beagle:text", "text": "\#(text)"}"# }

    private static let home = #"""
        {"_beagleComponent_": "beagle:screenComponent", "navigationBar": {"title": "Shop"}, "child":
          {"_beagleComponent_": "beagle:container", "children": [
            {"_beagleComponent_": "beagle:text", "text": "Welcome"},
            {"_beagleComponent_": "beagle:button", "text": "Cart", "onPress": [
              {"_beagleAction_": "beagle:pushView", "route": {"url": "/cart", "shouldPrefetch": true}},
              {"_beagleAction_": "beagle:pushView", "route": {"url": "/terms"}}]}]}}
        """#

    /// Answers by the hash protocol, and with 304 to a client that has the state already.
    private static func hashed(_ json: String, hash: String, cacheControl: String, _ request: HTTPRequest, field: String = "beagle-hash")
        -> FakeOrigin.Response
    {
        var fields: HTTPFields = [.cacheControl: cacheControl, .contentType: "application/json"]
        guard let name = HTTPField.Name(field) else { return .init("", status: .internalServerError) }
        fields[name] = hash
        return request.headerFields[name] == hash ? .init("", status: .notModified, fields: fields) : .init(json, fields: fields)
    }

    @Test func theTreeGoesToStandardOutputAndWhereItIsFromToStandardError() async throws {
        let origin = try await FakeOrigin.start { request, _ in Self.hashed(Self.home, hash: "h1", cacheControl: "max-age=600", request) }
        let first = try await run("\(origin.url)/home")
        #expect(first.status == 0, "\(first.errors)")
        #expect(
            first.text == """
                beagle:screenComponent  navigationBar.title: "Shop"
                └─ beagle:container
                   ├─ beagle:text  text: "Welcome"
                   └─ beagle:button  text: "Cart"  onPress: beagle:pushView -> "/cart" (prefetch), beagle:pushView -> "/terms"

                """
        )
        #expect(first.errors.hasPrefix("\(origin.url)/home  network  hash h1  "))
        #expect(first.errors.hasSuffix(" ms\n"))
        #expect(first.errors.split(separator: "\n").count == 1)
        let second = try await run("\(origin.url)/home")
        #expect(second.text == first.text)
        #expect(second.errors.hasPrefix("\(origin.url)/home  cache  hash h1  "))
        #expect(origin.requests.count == 1)
        await origin.stop()
    }

    @Test func aScreenThatIsNotValidAnyMoreIsRenewedByItsHash() async throws {
        let origin = try await FakeOrigin.start { request, _ in Self.hashed(Self.text("a"), hash: "h1", cacheControl: "max-age=0", request) }
        _ = try await run(origin.url)
        let second = try await run(origin.url)
        #expect(second.text == "beagle:text  text: \"a\"\n")
        #expect(second.errors.contains("  renewed  hash h1  "))
        #expect(origin.requests.count == 2)
        #expect(origin.requests.last?.headerFields[try #require(HTTPField.Name("beagle-hash"))] == "h1")
        await origin.stop()
    }

    @Test func whatIsKeptIsShownWhenTheServerIsAway() async throws {
        let origin = try await FakeOrigin.start { request, _ in Self.hashed(Self.text("kept"), hash: "h1", cacheControl: "max-age=0", request) }
        let url = origin.url
        _ = try await run(url)
        await origin.stop()
        let result = try await run(url)
        #expect(result.status == 0)
        #expect(result.text == "beagle:text  text: \"kept\"\n")
        #expect(result.errors.contains(" s old  stale: "))
        #expect(result.errors.split(separator: "\n").count == 1)
        let json = try await run("--json", url)
        let report = try #require(try JSONSerialization.jsonObject(with: Data(json.errors.utf8)) as? [String: Any])
        #expect(report["ageSeconds"] is Int)
        #expect((report["staleReason"] as? String)?.isEmpty == false)
    }

    @Test func aChangedScreenIsShown() async throws {
        let state = Mutex("1")
        let origin = try await FakeOrigin.start { request, _ in
            let number = state.withLock(\.self)
            return Self.hashed(Self.text(number), hash: "h\(number)", cacheControl: "max-age=0", request)
        }
        for number in ["1", "1", "2", "2"] {
            state.withLock { $0 = number }
            let result = try await run(origin.url)
            #expect(result.text == "beagle:text  text: \"\(number)\"\n")
            #expect(result.errors.contains("  hash h\(number)  "))
        }
        let name = try #require(HTTPField.Name("beagle-hash"))
        #expect(origin.requests.map { $0.headerFields[name] } == [nil, "h1", "h1", "h2"])
        await origin.stop()
    }

    @Test func aScreenThatCannotBeDecodedDoesNotReplaceTheOneThatIsKept() async throws {
        let isBroken = Mutex(false)
        let origin = try await FakeOrigin.start { request, _ in
            isBroken.withLock(\.self)
                ? Self.hashed("{\"oh\": \"no\"}", hash: "h2", cacheControl: "max-age=600", request)
                : Self.hashed(Self.text("good"), hash: "h1", cacheControl: "max-age=0", request)
        }
        #expect(try await run(origin.url).status == 0)
        isBroken.withLock { $0 = true }
        let broken = try await run(origin.url)
        #expect(broken.status == 1)
        #expect(broken.text.isEmpty)
        isBroken.withLock { $0 = false }
        let mended = try await run(origin.url)
        #expect(mended.text == "beagle:text  text: \"good\"\n")
        #expect(mended.errors.contains("  renewed  hash h1  "))
        await origin.stop()
    }

    @Test func aHashWithoutALifetimeIsValidForFiveMinutesAndNoStoreForNone() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            guard let name = HTTPField.Name("beagle-hash") else { return .init("") }
            var fields: HTTPFields = [name: "h1"]
            if request.path == "/never" { fields[.cacheControl] = "no-store" }
            return .init(Self.text("secret of \(request.path ?? "")"), fields: fields)
        }
        for _ in 0..<2 {
            #expect(try await run("\(origin.url)/default", "\(origin.url)/never").status == 0)
        }
        #expect(origin.requests.map(\.path) == ["/default", "/never", "/never"])
        #expect(origin.requests.last?.headerFields[try #require(HTTPField.Name("beagle-hash"))] == nil)
        #expect(try !files(holding: "secret of /default").isEmpty)
        #expect(try files(holding: "secret of /never").isEmpty)
        await origin.stop()
    }

    @Test func queriesAndFieldsMakeOtherScreens() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            let language = request.headerFields[.acceptLanguage] ?? "none"
            return Self.hashed(Self.text("\(request.path ?? "") \(language)"), hash: "h", cacheControl: "max-age=600", request)
        }
        for _ in 0..<2 {
            #expect(try await run("\(origin.url)/list?page=1").text == "beagle:text  text: \"/list?page=1 none\"\n")
            #expect(try await run("\(origin.url)/list?page=2").text == "beagle:text  text: \"/list?page=2 none\"\n")
            let portuguese = try await run("-H", "Accept-Language: pt", "\(origin.url)/list?page=1")
            #expect(portuguese.text == "beagle:text  text: \"/list?page=1 pt\"\n")
        }
        #expect(origin.requests.count == 3)
        await origin.stop()
    }

    @Test func redirectsAreFollowed() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            request.path == "/a" ? .init("", status: .found, fields: [.location: "/b"]) : .init(Self.text("there"))
        }
        #expect(try await run("\(origin.url)/a").text == "beagle:text  text: \"there\"\n")
        await origin.stop()
    }

    @Test func aReaderThatClosesThePipeIsNoCrash() async throws {
        let rows = Array(repeating: Self.text(String(repeating: "x", count: 70)), count: 5_000).joined(separator: ",")
        let origin = try await FakeOrigin.start { _, _ in .init(#"{"_beagleComponent_": "beagle:container", "children": [\#(rows)]}"#) }
        try await HoardProcess.expectNoCrashOnClosedPipe("view", origin.url, "--directory", directory.path("cache"))
        await origin.stop()
    }

    @Test(arguments: ["h1", nil])
    func theServerIsAskedForAValidScreenIfThatIsWanted(hash: String?) async throws {
        let origin = try await FakeOrigin.start { request, _ in
            guard let hash else { return .init(Self.text("a"), fields: [.cacheControl: "max-age=600"]) }
            return Self.hashed(Self.text("a"), hash: hash, cacheControl: "max-age=600", request)
        }
        let url = origin.url
        for count in 1...2 {
            #expect(try await run("--refresh", url).text == "beagle:text  text: \"a\"\n")
            #expect(origin.requests.count == count)
        }
        await origin.stop()
        #expect(try await run("--refresh", url).text == "beagle:text  text: \"a\"\n")
    }

    @Test func screensWithoutAHashAreKeptByTheRulesOfHTTP() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            .init(Self.text("terms"), fields: [.cacheControl: request.path == "/kept" ? "max-age=600" : "no-store"])
        }
        for _ in 0..<2 {
            #expect(try await run("\(origin.url)/kept").text == "beagle:text  text: \"terms\"\n")
            #expect(try await run("\(origin.url)/forwarded").status == 0)
        }
        #expect(origin.requests.map(\.path).filter { $0 == "/kept" }.count == 1)
        #expect(origin.requests.map(\.path).filter { $0 == "/forwarded" }.count == 2)
        await origin.stop()
    }

    @Test func withJSONScreensAndReportsAreLinesOfJSON() async throws {
        let origin = try await FakeOrigin.start { request, _ in Self.hashed(Self.home, hash: "h1", cacheControl: "max-age=600", request) }
        let result = try await run("--json", "\(origin.url)/home", "\(origin.url)/home")
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0] == lines[1])
        #expect(lines[0].hasPrefix(#"{"_beagleComponent_":"beagle:screenComponent","child":{"_beagleComponent_":"beagle:container","children":[{"#))
        let reports = try result.errors.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(reports.map { $0["url"] as? String } == ["\(origin.url)/home", "\(origin.url)/home"])
        #expect(reports.first?["source"] as? String == "network")
        #expect(reports.first?["hash"] as? String == "h1")
        #expect(reports.first?["milliseconds"] is Int)
        #expect(reports.first?["ageSeconds"] is Int)
        #expect(reports.first?["staleReason"] == nil)
        #expect(origin.requests.count == 1)
        await origin.stop()
    }

    @Test func componentsOfTheAppArePlaceholdersUnlessToldOtherwise() async throws {
        let json = #"{"_beagleComponent_": "beagle:container", "children": [{"_beagleComponent_": "shop:offer", "price": 9.5}]}"#
        let origin = try await FakeOrigin.start { _, _ in .init(json) }
        #expect(try await run(origin.url).text == "beagle:container\n└─ shop:offer (placeholder)  price: 9.5\n")
        let strict = try await run("--strict", origin.url)
        #expect(strict.status == 1)
        #expect(strict.text.isEmpty)
        #expect(strict.errors.contains("$.children[0]"))
        #expect(strict.errors.contains("shop:offer"))
        await origin.stop()
    }

    @Test func namesOfTheProtocolCanBeOthers() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            Self.hashed(#"{"@type": "beagle:text", "text": "a"}"#, hash: "h1", cacheControl: "max-age=0", request, field: "X-State")
        }
        for source in ["network", "renewed"] {
            let result = try await run("--discriminator", "@type", "--hash-field", "x-state", origin.url)
            #expect(result.text == "beagle:text  text: \"a\"\n")
            #expect(result.errors.contains("  \(source)  hash h1  "))
        }
        let missing = try await run(origin.url)
        #expect(missing.status == 1)
        #expect(missing.errors.contains("_beagleComponent_"))
        await origin.stop()
    }

    @Test func partitionsShareNothing() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            let user = request.headerFields[.authorization] ?? "nobody"
            return Self.hashed(Self.text(user), hash: "h-\(user)", cacheControl: "max-age=600", request)
        }
        for user in ["ann", "bob", "ann"] {
            let result = try await run("--partition", user, "-H", "Authorization: \(user)", origin.url)
            #expect(result.text == "beagle:text  text: \"\(user)\"\n")
        }
        #expect(try await run(origin.url).text == "beagle:text  text: \"nobody\"\n")
        #expect(origin.requests.map { $0.headerFields[.authorization] } == ["ann", "bob", nil])
        #expect(origin.requests.allSatisfy { $0.headerFields[.userAgent]?.hasPrefix("hoard/") == true })
        await origin.stop()
    }

    @Test(arguments: ["h1", nil])
    func sensitiveScreensDoNotReachTheDisk(hash: String?) async throws {
        let secret = "secret-\(UUID().uuidString)"
        let origin = try await FakeOrigin.start { request, _ in
            guard let hash else { return .init(Self.text(secret), fields: [.cacheControl: "max-age=600"]) }
            return Self.hashed(Self.text(secret), hash: hash, cacheControl: "max-age=600", request)
        }
        for _ in 0..<2 { #expect(try await run("--sensitive", origin.url).text.contains(secret)) }
        #expect(origin.requests.count == 2)
        #expect(try files(holding: secret).isEmpty)
        #expect(try await run(origin.url).text.contains(secret))
        #expect(try !files(holding: secret).isEmpty)
        await origin.stop()
    }

    /// Which files of the cache hold a text.
    private func files(holding text: String) throws -> [String] {
        let root = directory.path("cache")
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter { name in
            guard let data = FileManager.default.contents(atPath: root + "/" + name) else { return false }
            return data.range(of: Data(text.utf8)) != nil
        }
    }

    @Test func screensThatAreToBePrefetchedCanBeShownWithoutANetwork() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            let json = request.path == "/home" ? Self.home : Self.text(request.path ?? "")
            return Self.hashed(json, hash: "h", cacheControl: "max-age=600", request)
        }
        let url = origin.url
        let result = try await run("--prefetch", "\(url)/home")
        #expect(result.errors.contains("  1 prefetched  "))
        #expect(origin.requests.map(\.path) == ["/home", "/cart"])
        await origin.stop()
        #expect(try await run("\(url)/cart").text == "beagle:text  text: \"/cart\"\n")
        let other = try await run("\(url)/terms")
        #expect(other.status == 1)
        let report = try await run("--prefetch", "--json", "\(url)/home")
        #expect(report.errors.contains(#""prefetched":1"#))
    }

    @Test func screensOfOtherServersAreNotPrefetched() async throws {
        let elsewhere = try await FakeOrigin.start { _, _ in .init(Self.text("elsewhere")) }
        let target = elsewhere.url
        let origin = try await FakeOrigin.start { _, _ in
            .init(
                #"""
                {"_beagleComponent_": "beagle:button", "text": "x",
                 "onPress": [{"_beagleAction_": "beagle:pushView", "route": {"url": "\#(target)/", "shouldPrefetch": true}}]}
                """#
            )
        }
        let result = try await run("--prefetch", origin.url)
        #expect(result.status == 0)
        #expect(result.errors.contains("  0 prefetched  1 could not be prefetched  "))
        #expect(elsewhere.requests.isEmpty)
        await origin.stop()
        await elsewhere.stop()
    }

    @Test func anErrorStatusEndsWith22AndOthersAreShown() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            request.path == "/no" ? .init("<html>", status: .notFound) : .init(Self.text("there"))
        }
        let result = try await run("\(origin.url)/no", "\(origin.url)/yes")
        #expect(result.status == 22)
        #expect(result.text == "beagle:text  text: \"there\"\n")
        #expect(result.errors.hasPrefix("hoard: \(origin.url)/no: "))
        #expect(result.errors.contains("404"))
        await origin.stop()
    }

    @Test(arguments: [
        ("<html></html>", "JSON"), ("", "JSON"), (#"{"a": 1}"#, "_beagleComponent_"),
        (#"{"_beagleComponent_": "beagle:container", "children": [{"_beagleComponent_": "beagle:text"}]}"#, "$.children[0].text"),
    ])
    func whatIsNoScreenIsOneSentenceThatNamesThePlace(body: String, part: String) async throws {
        let origin = try await FakeOrigin.start { _, _ in .init(body) }
        let result = try await run(origin.url)
        #expect(result.status == 1)
        #expect(result.text.isEmpty)
        #expect(result.errors.hasPrefix("hoard: \(origin.url): "))
        #expect(result.errors.contains(part))
        #expect(result.errors.split(separator: "\n").count == 1)
        await origin.stop()
    }

    @Test func aServerThatIsAwayIsOneSentence() async throws {
        // Nothing listens on this port, and the system never chooses it for a server of another test.
        let url = "http://127.0.0.1:1"
        let result = try await run(url)
        #expect(result.status == 1)
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.errors.hasPrefix("hoard: \(url): "))
    }

    @Test func aKeptScreenIsFoundByItsURLAndByItsPrintedKey() async throws {
        let origin = try await FakeOrigin.start { request, _ in Self.hashed(Self.text("a"), hash: "h", cacheControl: "max-age=600", request) }
        let url = "\(origin.url)/home"
        #expect(try await run(url).status == 0)
        let shown = try await HoardProcess.run("inspect", "show", url, "--directory", directory.path("cache"))
        #expect(shown.status == 0)
        #expect(shown.text.contains("views"))
        for name in [#"views\u{0}view - \#(url)"#, #"views\u0000view - \#(url)"#] {
            #expect(try await HoardProcess.run("inspect", "show", name, "--directory", directory.path("cache")).status == 0)
        }
        #expect(try await HoardProcess.run("inspect", "rm", url, "--directory", directory.path("cache")).status == 0)
        #expect(try await HoardProcess.run("inspect", "show", url, "--directory", directory.path("cache")).status != 0)
        #expect(try await run(url).status == 0)
        #expect(origin.requests.count == 2)
        await origin.stop()
    }

    /// The messages go nowhere; the screen is shown and kept all the same.
    @Test(arguments: ["2>&-", "2>/dev/full", "0<&- 2>&-"])
    func standardErrorThatIsClosedOrFullIsNoCrash(_ redirection: String) async throws {
        let origin = try await FakeOrigin.start { _, _ in .init(Self.text("a"), fields: [.cacheControl: "max-age=600"]) }
        let result = try await HoardProcess.run(["view", origin.url] + cache, redirection: redirection)
        #expect(result.status == 0)
        #expect(!result.text.isEmpty)
        #expect(try await run(origin.url).text == result.text)
        #expect(origin.requests.count == 1)
        await origin.stop()
    }

    @Test func whatAServerSendsCannotDriveTheTerminal() async throws {
        let origin = try await FakeOrigin.start { _, _ in
            .init(#"{"_beagleComponent_": "x\u001b[2J", "a\u001b[2J": "\u001b]0;title\u0007\u202e\u009b", "b": "line\nline"}"#)
        }
        for result in [try await run(origin.url), try await run("--json", origin.url)] {
            #expect(result.status == 0)
            #expect(result.text.split(separator: "\n").count == 1)
            for character in ["\u{1b}", "\u{202e}", "\u{9b}"] { #expect(!result.text.contains(character)) }
        }
        await origin.stop()
    }

    @Test func aTransferThatTakesTooLongIsBrokenOff() async throws {
        let gate = Gate()
        let origin = try await FakeOrigin.start { _, _ in
            await gate.pass()
            return .init(Self.text("late"))
        }
        let result = try await run("--max-time", "0.2", origin.url)
        #expect(result.status == 1)
        #expect(result.errors.contains("0.2 seconds"))
        gate.open()
        await origin.stop()
    }

    @Test(arguments: ["ahc", "nio", "urlsession"])
    func everyTransportGetsScreens(name: String) async throws {
        let origin = try await FakeOrigin.start { request, _ in Self.hashed(Self.text("a"), hash: "h", cacheControl: "max-age=600", request) }
        for _ in 0..<2 { #expect(try await run("--transport", name, origin.url).text == "beagle:text  text: \"a\"\n") }
        #expect(origin.requests.count == 1)
        await origin.stop()
    }

    @Test(arguments: [
        ["example.com"], ["ftp://example.com/"], ["http://user@example.com/"], ["--max-time", "0", "http://127.0.0.1:1/"],
        ["--discriminator", "", "http://127.0.0.1:1/"], ["--hash-field", "a b", "http://127.0.0.1:1/"], ["--partition", "", "http://127.0.0.1:1/"],
        [],
    ])
    func argumentsThatMakeNoSenseAreRefused(arguments: [String]) async throws {
        let result = await (try HoardProcess(["view"] + arguments + cache)).result()
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("Error: "))
    }

    @Test func aDirectoryThatCannotBeUsedIsRefusedIfItWasNamedAndPassedByIfNot() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init(Self.text("fetched")) }
        let file = directory.path("file")
        try Data().write(to: URL(fileURLWithPath: file))
        let named = await (try HoardProcess(["view", origin.url, "--directory", file])).result()
        #expect(named.status == 1)
        #expect(named.output.isEmpty)
        let unnamed = await (try HoardProcess(["view", origin.url], environment: ["XDG_CACHE_HOME": file])).result()
        #expect(unnamed.status == 0)
        #expect(unnamed.text == "beagle:text  text: \"fetched\"\n")
        #expect(unnamed.errors.contains("without a cache on disk"))
        await origin.stop()
    }
}
