// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import NIOCore
import Testing

@testable import HoardViews

@Suite(.timeLimit(.minutes(5))) struct ViewClientTests {
    // MARK: Where screens come from

    @Test func firstFetchAsksTheServerAndTheSecondDoesNot() async throws {
        let harness = ViewHarness()
        let first = try await harness.client.fetch("/home")
        #expect(first.title == "/home")
        #expect(first.source == .network)
        #expect(first.hash == "hash of /home")
        #expect(first.url == "http://example.com/home")
        #expect(first.staleness == nil)
        let second = try await harness.client.fetch("/home")
        #expect(second.title == "/home")
        #expect(second.source == .memory)
        #expect(harness.requestCount == 1)
        #expect(harness.coder.decodeCount == 1)
    }

    @Test func screenThatIsKeptAsBytesIsDecodedOnce() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        let restarted = harness.restarted()
        #expect(try await restarted.fetch("/home").source == .cache)
        #expect(try await restarted.fetch("/home").source == .memory)
        #expect(harness.coder.decodeCount == 2)
        #expect(harness.requestCount == 1)
    }

    @Test func screenInMemoryStartsNoLoad() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        let before = harness.client.statistics
        for _ in 0..<10 { _ = try await harness.client.fetch("/home") }
        let after = harness.client.statistics
        #expect(after.memoryHits == before.memoryHits + 10)
        #expect(after.requests == 1)
        #expect(after.decodings == 1)
        #expect(harness.cache?.additions.count == 1)
    }

    @Test func everyFetchCountsAndWhereItsScreenCameFrom() async throws {
        let harness = ViewHarness()
        for _ in 0..<2 { _ = try await harness.client.fetch("/home") }
        let first = harness.client.statistics
        #expect((first.fetches, first.misses, first.memoryHits, first.cacheHits) == (2, 1, 1, 0))
        // After a restart the bytes are there, and must be decoded.
        let later = harness.restarted()
        for _ in 0..<3 { _ = try await later.fetch("/home") }
        let second = later.statistics
        #expect((second.fetches, second.misses, second.memoryHits, second.cacheHits) == (3, 0, 2, 1))
        harness.origin["/gone"].status = .gone
        await #expect(throws: ViewError.self) { try await later.fetch("/gone") }
        #expect((later.statistics.fetches, later.statistics.failures) == (4, 1))
    }

    @Test func viewsFromTheSameBytesAreTheSameState() async throws {
        let harness = ViewHarness()
        let first = try await harness.client.fetch("/home")
        let again = try await harness.restarted().fetch("/home")
        let other = try await harness.client.fetch("/other")
        #expect(first.source != again.source)
        #expect(first.isSameState(as: again) && again.isSameState(as: first))
        #expect(!first.isSameState(as: other) && !other.isSameState(as: first))
    }

    @Test func decodedScreensAreBounded() async throws {
        var configuration = ViewClient.Configuration()
        configuration.maximumMemoryBytes = 8_000
        let harness = ViewHarness(configuration: configuration)
        for number in 0..<100 { _ = try await harness.client.fetch(ViewRequest("/\(number)")) }
        #expect(harness.client.decoded.totalWeight <= 8_000)
        #expect(harness.client.decoded.count > 0)
        #expect(try await harness.client.fetch("/0").title == "/0")
        #expect(harness.requestCount == 100)
    }

    @Test func screenThatTheCacheManagerHasForgottenIsFetchedAlthoughItsDecodedFormIsThere() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].fields = [.cacheControl: "no-cache"]
        _ = try await harness.client.fetch("/home")
        await harness.cache?.clear()
        #expect(try await harness.client.fetch("/home").source == .network)
        #expect(harness.requestCount == 2)
    }

    // MARK: Whose answer it is

    @Test func everythingThatCanChangeTheAnswerIsInTheKey() async throws {
        let harness = ViewHarness()
        harness.origin["/a"].fields = [.cacheControl: "max-age=60", .vary: "accept-language, authorization"]
        let requests: [ViewRequest] = [
            "/a", "/b", "/a?x=1",
            ViewRequest("/a", additionalData: .init(headers: [.acceptLanguage: "de"])),
            ViewRequest("/a", additionalData: .init(headers: [.acceptLanguage: "en"])),
            ViewRequest("/a", additionalData: .init(headers: [.authorization: "Bearer 1"])),
            ViewRequest("/a", partition: "u1"), ViewRequest("/a", partition: "u2"),
            ViewRequest("/a", isSensitive: true), ViewRequest("/a", partition: "u1", isSensitive: true),
        ]
        for request in requests { #expect(try await harness.client.fetch(request).source == .network) }
        #expect(harness.requestCount == requests.count)
        let plans = try requests.map { try harness.client.plan(for: $0).key.identifier }
        #expect(Set(plans).count == requests.count)
        // The sensitive copies have removed the other copies, which are fetched again.
        for request in requests.dropFirst(2) where request.isSensitive || request.partition == "u2" {
            #expect(try await harness.client.fetch(request).source == .memory)
        }
    }

    @Test func fieldsInAnotherOrderAreTheSameRequest() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch(ViewRequest("/a", additionalData: .init(headers: [.accept: "x", .acceptLanguage: "de"])))
        let again = ViewRequest("/a", additionalData: .init(headers: [.acceptLanguage: "de", .accept: "x"]))
        #expect(try await harness.client.fetch(again).source == .memory)
    }

    @Test func identifierHoldsNoFieldValue() throws {
        let harness = ViewHarness()
        let request = ViewRequest("/a", additionalData: .init(headers: [.authorization: "Bearer secret"]), partition: "u")
        #expect(try !harness.client.plan(for: request).key.identifier.contains("secret"))
    }

    @Test func partitionsCannotImitateEachOther() {
        let keys = [
            ViewKey(address: "http://a/ x", partition: nil, isSensitive: false), ViewKey(address: "x", partition: " http://a/", isSensitive: false),
            ViewKey(address: "http://a/", partition: "3:b", isSensitive: false), ViewKey(address: "b http://a/", partition: "3:", isSensitive: false),
            ViewKey(address: "http://a/", partition: "", isSensitive: true), ViewKey(address: "http://a/", partition: "-", isSensitive: true),
            ViewKey(address: "http://a/", partition: "\u{E9}", isSensitive: false),
            ViewKey(address: "http://a/", partition: "%C3%A9", isSensitive: false),
        ]
        #expect(Set(keys.map(\.identifier)).count == keys.count)
        #expect(Set(keys).count == keys.count)
    }

    /// Swift takes the names of each pair for the same string.
    @Test(arguments: [("Zo\u{EB}", "Zoe\u{308}"), ("a\u{301}\u{323}", "a\u{323}\u{301}"), ("\u{212B}", "\u{C5}")])
    func usersWhoseNamesDifferInTheirBytesShareNothing(one: String, other: String) async throws {
        #expect(one == other)
        let harness = ViewHarness()
        let hold = harness.transport.hold()
        let tasks = [one, other].map { name in Task { try await harness.client.fetch(ViewRequest("/account", partition: name)) } }
        await hold.arrivals(2)
        hold.release()
        for task in tasks { #expect(try await task.value.source == .network) }
        for name in [one, other] { try await harness.client.prefetch(ViewRequest("/next", partition: name)) }
        #expect(harness.client.statistics.keptPrefetches == 2)
        #expect(harness.client.decoded.count == 4)
        await harness.client.removePartition(one)
        #expect(harness.client.statistics.keptPrefetches == 1)
        #expect(harness.client.decoded.count == 2)
    }

    @Test func requestOfNoPartitionSharesNothingWithThatOfTheHTTPCache() async throws {
        let harness = ViewHarness()
        harness.origin["/a"] = .init(title: "a", hash: nil)
        var configuration = HTTPCache.Configuration()
        configuration.partition = "u1"
        let http = HTTPCache(configuration: configuration, stores: [], clock: harness.time, ticker: harness.time)
        var dependencies = harness.client.dependencies
        dependencies.client = CachingClient(transport: harness.transport, cache: http, ticker: harness.time)
        let client = ViewClient(dependencies: dependencies, clock: harness.time, ticker: harness.time)
        let mine = ViewRequest("/a", partition: "u1")
        let nobodys = ViewRequest("/a", partition: "")
        #expect(try await client.fetch("/a").source == .network)
        #expect(try await client.fetch(mine).source == .memory)
        #expect(try await client.fetch(nobodys).source == .network)
        await client.remove(nobodys)
        #expect(try await client.fetch(mine).source == .memory)
        #expect(try await client.fetch(nobodys).source == .network)
        await client.removePartition("u1")
        #expect(try await client.fetch(nobodys).source == .memory)
    }

    @Test func configurationNamesThePartitionOfRequestsWithoutOne() async throws {
        var configuration = ViewClient.Configuration()
        configuration.partition = "u1"
        let harness = ViewHarness(configuration: configuration)
        _ = try await harness.client.fetch("/a")
        #expect(harness.cache?.references.map(\.partition) == ["u1"])
        #expect(try await harness.client.fetch(ViewRequest("/a", partition: "u1")).source == .memory)
        #expect(try await harness.client.fetch(ViewRequest("/a", partition: "u2")).source == .network)
    }

    @Test func sensitiveScreenReplacesWhatWasKeptOfItBefore() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/account")
        #expect(harness.cache?.references.map(\.isSensitive) == [false])
        _ = try await harness.client.fetch(ViewRequest("/account", isSensitive: true))
        #expect(harness.cache?.references.map(\.isSensitive) == [true])
    }

    // MARK: Methods

    @Test func postIsSentEachTimeAndNeverKept() async throws {
        let harness = ViewHarness()
        let request = ViewRequest("/order", additionalData: .init(method: .post, body: Data("a=1".utf8)))
        for _ in 0..<2 { #expect(try await harness.client.fetch(request).source == .network) }
        #expect(harness.transport.requests.map(\.head.method) == [.post, .post])
        #expect(harness.transport.requests.map { String(buffer: $0.body) } == ["a=1", "a=1"])
        #expect(harness.cache?.additions.isEmpty == true)
    }

    @Test func postRemovesTheScreenAtItsURL() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/cart")
        _ = try await harness.client.fetch(ViewRequest("/cart", additionalData: .init(method: .post, body: Data("a".utf8))))
        #expect(harness.cache?.references.isEmpty == true)
        #expect(try await harness.client.fetch("/cart").source == .network)
    }

    @Test func postThatIsRedirectedToAFailureRemovesTheScreenAtItsURL() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/cart")
        #expect(harness.cache?.references.count == 1)
        harness.origin["/cart"] = .init(title: "", fields: [.location: "/receipt"], status: .seeOther)
        harness.origin["/receipt"] = .init(title: "", status: .internalServerError)
        let order = ViewRequest("/cart", additionalData: .init(method: .post, body: Data("a".utf8)))
        let error = try await #require(throws: ViewError.self) { try await harness.client.fetch(order) }
        #expect(error.statusCode == 500)
        #expect(harness.cache?.references.isEmpty == true)
    }

    /// The first server has taken the order, although the second one cannot be reached.
    @Test func postThatIsRedirectedToNowhereRemovesTheScreenAtItsURL() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/cart")
        #expect(harness.cache?.references.count == 1)
        let transport = FakeTransport { request in
            guard request.head.authority == "example.com" else { return .failure(TransportError(.cannotConnect, "It is away.")) }
            return .text(status: .seeOther, fields: [.location: "http://away.example/"])
        }
        var dependencies = harness.client.dependencies
        dependencies.client = CachingClient(transport: transport, cache: harness.http, ticker: harness.time)
        let client = ViewClient(dependencies: dependencies, clock: harness.time, ticker: harness.time)
        let order = ViewRequest("/cart", additionalData: .init(method: .post, body: Data("a".utf8)))
        await #expect(throws: ViewError.self) { try await client.fetch(order) }
        #expect(transport.requests.map(\.head.method) == [.post, .get])
        #expect(harness.cache?.references.isEmpty == true)
    }

    @Test func getWithContentIsSentEachTime() async throws {
        let harness = ViewHarness()
        let request = ViewRequest("/search", additionalData: .init(body: Data("a".utf8)))
        for _ in 0..<2 { _ = try await harness.client.fetch(request) }
        #expect(harness.requestCount == 2)
    }

    @Test func fieldsAreSentAlong() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch(ViewRequest("/a", additionalData: .init(headers: [.acceptLanguage: "de"])))
        #expect(harness.transport.requests.first?.head.headerFields[.acceptLanguage] == "de")
    }

    // MARK: Errors

    @Test func pathWithoutURLIsAnErrorOfTheURLBuilder() async throws {
        let harness = ViewHarness()
        for path in ["http://elsewhere.com/secret", "ftp://example.com/", "http://user@example.com/"] {
            let error = try await #require(throws: ViewError.self) { try await harness.client.fetch(ViewRequest(path)) }
            #expect(error.code == .urlBuilder)
            #expect(!error.message.contains("secret"))
        }
        #expect(harness.requestCount == 0)
    }

    @Test func withoutACachingClientOnlyWhatIsKeptIsShown() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        var dependencies = harness.client.dependencies
        dependencies.client = nil
        let client = ViewClient(dependencies: dependencies, clock: harness.time, ticker: harness.time)
        #expect(try await client.fetch("/home").title == "/home")
        let error = try await #require(throws: ViewError.self) { try await client.fetch("/other") }
        #expect(error.code == .networkClientNotConfigured)
        let prefetchError = try await #require(throws: ViewError.self) { try await client.prefetch("/other") }
        #expect(prefetchError.code == .networkClientNotConfigured)
    }

    @Test(arguments: [300, 304, 400, 401, 404, 500, 503])
    func statusBeyondSuccessIsAnErrorThatCarriesIt(code: Int) async throws {
        let harness = ViewHarness()
        harness.origin["/home"].status = .init(code: code)
        let error = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
        #expect(error.code == .network)
        #expect(error.statusCode == code)
        #expect(harness.cache?.additions.isEmpty == true)
        #expect(harness.client.statistics.failures == 1)
    }

    @Test func unreachableServerIsAnErrorThatSaysSo() async throws {
        let harness = ViewHarness()
        harness.origin.fail(with: TransportError(.cannotConnect, "No route."))
        let error = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
        #expect(error.code == .network)
        #expect(error.networkError?.code == .unreachable)
        #expect(error.statusCode == nil)
    }

    @Test func responseThatIsNoComponentIsAnErrorThatSaysWhereAndIsNotKept() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].body = "[]"
        let error = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
        #expect(error.code == .decoding)
        #expect(error.codingError?.path == "$.title")
        #expect(harness.cache?.additions.isEmpty == true)
    }

    @Test(arguments: ["hash", nil])
    func responseThatIsNoComponentAnswersNoFurtherFetch(hash: String?) async throws {
        let harness = ViewHarness()
        harness.origin["/home"] = .init(title: "", hash: hash, fields: [.cacheControl: "max-age=3600"], body: "<html>Log in to this network</html>")
        _ = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
        // Another user of the HTTP client may store it again.
        _ = try await harness.client.dependencies.client?.get("http://example.com/home").body.collect(upTo: 100)
        harness.origin["/home"] = .init(title: "good", hash: hash)
        #expect(try await harness.client.fetch("/home").title == "good")
        #expect(harness.requestCount == 3)
    }

    @Test func requestThatForbidsStoringIsSentEachTimeAndNotKept() async throws {
        let harness = ViewHarness()
        let request = ViewRequest("/home", additionalData: .init(headers: [.cacheControl: "no-store"]))
        for _ in 0..<2 { #expect(try await harness.client.fetch(request).source == .network) }
        #expect(try await harness.client.prefetch(request).outcome == .notRepeatable)
        #expect(harness.cache?.additions.isEmpty == true)
        #expect(harness.client.decoded.count == 0)
    }

    @Test(arguments: ["no-cache", "max-age=0"])
    func requestThatWantsAConfirmationGetsOne(directive: String) async throws {
        let harness = ViewHarness()
        let request = ViewRequest("/home", additionalData: .init(headers: [.cacheControl: directive]))
        _ = try await harness.client.fetch(request)
        #expect(try await harness.client.fetch(request).source == .renewed)
    }

    @Test func partitionOfTheCachingClientIsThatOfRequestsWithoutAnother() throws {
        let harness = ViewHarness()
        var configuration = HTTPCache.Configuration()
        configuration.partition = "u1"
        var dependencies = harness.client.dependencies
        dependencies.client = CachingClient(transport: harness.transport, cache: HTTPCache(configuration: configuration))
        let client = ViewClient(dependencies: dependencies)
        #expect(try client.plan(for: "/a").key.partition?.text == "u1")
        #expect(try harness.client.plan(for: "/a").key.partition == nil)
    }

    @Test func responseThatIsTooLongIsAnError() async throws {
        var configuration = ViewClient.Configuration()
        configuration.maximumResponseBytes = 20
        let harness = ViewHarness(configuration: configuration)
        harness.origin["/home"] = .init(title: String(repeating: "a", count: 100), fields: [.cacheControl: "no-store"])
        let error = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
        #expect(error.code == .network)
        #expect(error.message == "The response is longer than the 20 bytes allowed.")
        harness.origin["/home"].title = "short"
        #expect(try await harness.client.fetch("/home").title == "short")
    }

    @Test func bodyThatBreaksOffIsAnErrorAndIsNotKept() async throws {
        let time = ManualTicker()
        let error = TransportError(.connectionClosed, "The connection was closed.")
        let transport = FakeTransport { _ in
            .parts([#"{"title""#], breakingOffWith: error, fields: [.cacheControl: "max-age=60", ScreenOrigin.hashField: "1"])
        }
        let cache = SpyCacheManager(clock: time)
        let client = ViewClient(
            dependencies: .init(
                urlBuilder: URLBuilder(baseURL: URL(string: "http://example.com")),
                client: CachingClient(transport: transport, cache: HTTPCache(clock: time, ticker: time), ticker: time),
                coder: CountingCoder(),
                cache: cache
            ),
            clock: time,
            ticker: time
        )
        let thrown = try await #require(throws: ViewError.self) { try await client.fetch("/a") }
        #expect(thrown.networkError?.code == .connectionClosed)
        #expect(cache.additions.isEmpty)
    }

    @Test func exchangeThatTakesTooLongIsAnError() async throws {
        let harness = ViewHarness()
        let hold = harness.transport.hold()
        async let view = harness.client.fetch("/home")
        await hold.arrivals(1)
        await harness.time.sleepers(1)
        harness.time.advance(by: .seconds(31))
        do {
            _ = try await view
            Issue.record("It should have failed.")
        } catch {
            #expect((error as? ViewError)?.networkError?.code == .deadlineExceeded)
        }
        hold.release()
    }
}
