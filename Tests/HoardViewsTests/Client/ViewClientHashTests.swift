// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import Testing

@testable import HoardViews

/// The hash protocol: which screens are kept, for how long, and the requests that the server gets.
@Suite(.timeLimit(.minutes(5))) struct ViewClientHashTests {
    private func sentHashes(_ harness: ViewHarness) -> [String?] {
        harness.transport.requests.map { $0.head.headerFields[ScreenOrigin.hashField] }
    }

    @Test func referenceHoldsWhatTheServerSent() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch(ViewRequest("/home", partition: "u1"))
        let reference = try #require(harness.cache?.references.first)
        #expect(String(decoding: reference.data, as: UTF8.self) == #"{"title": "/home"}"#)
        #expect(reference.hash == "hash of /home")
        #expect(reference.maxAge == 60)
        #expect(reference.timeOfCreation == harness.time.now())
        #expect(reference.partition == "u1")
        #expect(!reference.isSensitive && !reference.mustRevalidate)
    }

    @Test func screenIsValidForItsMaxAgeAndNotLonger() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .milliseconds(59_999))
        #expect(try await harness.client.fetch("/home").source == .memory)
        harness.time.advance(by: .milliseconds(1))
        #expect(try await harness.client.fetch("/home").source == .renewed)
        #expect(sentHashes(harness) == [nil, "hash of /home"])
    }

    @Test func confirmationRenewsTheScreenWithoutDecodingItAgain() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].notModifiedFields = [.cacheControl: "max-age=10"]
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(100))
        let view = try await harness.client.fetch("/home")
        #expect(view.source == .renewed)
        #expect(view.title == "/home")
        #expect(view.staleness == nil)
        #expect(harness.coder.decodeCount == 1)
        let (old, new) = (try #require(harness.cache?.additions.first), try #require(harness.cache?.additions.last))
        #expect(new.data == old.data)
        #expect(new.hash == old.hash)
        #expect(new.maxAge == 10)
        #expect(new.timeOfCreation == harness.time.now())
        harness.time.advance(by: .seconds(9))
        #expect(try await harness.client.fetch("/home").source == .memory)
        harness.time.advance(by: .seconds(1))
        #expect(try await harness.client.fetch("/home").source == .renewed)
    }

    @Test func confirmationThatSaysNothingOfTheLifetimeKeepsTheOldOne() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].fields = [.cacheControl: "max-age=20, must-revalidate"]
        harness.origin["/home"].notModifiedFields = [:]
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(30))
        _ = try await harness.client.fetch("/home")
        #expect(harness.cache?.additions.map(\.maxAge) == [20, 20])
        #expect(harness.cache?.additions.map(\.mustRevalidate) == [true, true])
    }

    @Test func changedScreenReplacesTheOldOne() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.origin["/home"] = .init(title: "new", hash: "2")
        harness.time.advance(by: .seconds(60))
        let view = try await harness.client.fetch("/home")
        #expect(view.title == "new")
        #expect(view.source == .network)
        #expect(view.hash == "2")
        #expect(harness.cache?.references.map(\.hash) == ["2"])
        #expect(try await harness.client.fetch("/home").title == "new")
        #expect(harness.coder.decodeCount == 2)
    }

    @Test func lifetimeThatTheServerDoesNotStateIsTheCacheManagers() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].fields = [:]
        _ = try await harness.client.fetch("/home")
        #expect(harness.cache?.references.first?.maxAge == nil)
        harness.time.advance(by: .seconds(299))
        #expect(try await harness.client.fetch("/home").source == .memory)
        harness.time.advance(by: .seconds(1))
        #expect(try await harness.client.fetch("/home").source == .renewed)
    }

    @Test func ageIsTakenFromTheLifetime() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].fields = [.cacheControl: "max-age=60", .age: "50"]
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(9))
        #expect(try await harness.client.fetch("/home").source == .memory)
        harness.time.advance(by: .seconds(1))
        #expect(try await harness.client.fetch("/home").source == .renewed)
    }

    @Test(arguments: ["max-age=0", "no-cache", "no-cache, max-age=100"])
    func screenWithoutLifetimeIsConfirmedEachTime(directives: String) async throws {
        let harness = ViewHarness()
        harness.origin["/home"].fields = [.cacheControl: directives]
        _ = try await harness.client.fetch("/home")
        #expect(harness.cache?.references.first?.maxAge == 0)
        for _ in 0..<3 { #expect(try await harness.client.fetch("/home").source == .renewed) }
        #expect(harness.requestCount == 4)
        #expect(harness.coder.decodeCount == 1)
    }

    @Test(arguments: [HTTPFields([.init(name: .cacheControl, value: "no-store")]), [.cacheControl: "max-age=60", .vary: "*"]])
    func screenThatMustNotBeKeptIsNot(fields: HTTPFields) async throws {
        let harness = ViewHarness()
        harness.origin["/home"].fields = fields
        for _ in 0..<2 { #expect(try await harness.client.fetch("/home").source == .network) }
        #expect(harness.cache?.additions.isEmpty == true)
    }

    @Test func screenThatMustNotBeKeptAnyMoreIsRemoved() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.origin["/home"] = .init(title: "new", hash: "2", fields: [.cacheControl: "no-store"])
        harness.time.advance(by: .seconds(60))
        #expect(try await harness.client.fetch("/home").title == "new")
        #expect(harness.cache?.references.isEmpty == true)
    }

    @Test func screenThatHasNoHashAnyMoreIsLeftToHTTP() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.origin["/home"] = .init(title: "new", hash: nil)
        harness.time.advance(by: .seconds(60))
        #expect(try await harness.client.fetch("/home").title == "new")
        #expect(harness.cache?.references.isEmpty == true)
        // HTTP does not store the response to a request with a hash; it stores the response to a request without one.
        for _ in 0..<2 { #expect(try await harness.client.fetch("/home").title == "new") }
        #expect(harness.requestCount == 3)
    }

    @Test func responseThatIsNoComponentDoesNotReplaceWhatIsKept() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        harness.origin["/home"] = .init(title: "", hash: "2", body: "nonsense")
        let error = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
        #expect(error.code == .decoding)
        #expect(harness.cache?.references.map(\.hash) == ["hash of /home"])
        harness.origin["/home"] = .init(title: "/home", hash: "hash of /home")
        #expect(try await harness.client.fetch("/home").source == .renewed)
    }

    @Test func confirmationOfAnotherStateIsNotBelieved() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        harness.origin["/home"].notModifiedFields = [ScreenOrigin.hashField: "another"]
        let view = try await harness.client.fetch("/home")
        #expect(view.source == .network)
        #expect(sentHashes(harness) == [nil, "hash of /home", nil])
    }

    @Test func keptScreenThatCannotBeDecodedIsFetchedWithoutItsHash() async throws {
        let harness = ViewHarness()
        let request: ViewRequest = "/home"
        let identifier = try harness.client.plan(for: request).key.identifier
        for maxAge in [60, 0] {
            let broken = CacheReference(
                identifier: identifier,
                data: Data("{}".utf8),
                hash: "hash of /home",
                maxAge: maxAge,
                timeOfCreation: harness.time.now()
            )
            await harness.cache?.addToCache(broken)
            let view = try await harness.client.fetch(request)
            #expect(view.title == "/home")
            #expect(view.source == .network)
            #expect(harness.cache?.references.first?.data == Data(#"{"title": "/home"}"#.utf8))
        }
        #expect(sentHashes(harness) == [nil, "hash of /home", nil])
    }

    @Test func serverThatKnowsNoHashIsAskedEachTimeAndSendsTheScreen() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].answersNotModified = false
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        #expect(try await harness.client.fetch("/home").source == .network)
        #expect(harness.coder.decodeCount == 1)
    }

    @Test func nameOfTheFieldCanBeChosen() async throws {
        var configuration = ViewClient.Configuration()
        configuration.hashFieldName = "X-State"
        let time = ManualTicker()
        let field = try #require(HTTPField.Name("x-state"))
        let transport = FakeTransport { request in
            let isKnown = request.head.headerFields[field] == "7"
            return .text(isKnown ? "" : #"{"title": "a"}"#, status: isKnown ? .notModified : .ok, fields: [field: "7", .cacheControl: "max-age=0"])
        }
        let client = ViewClient(
            dependencies: .init(
                urlBuilder: URLBuilder(baseURL: URL(string: "http://example.com")),
                client: CachingClient(transport: transport, cache: HTTPCache(clock: time, ticker: time), ticker: time),
                coder: CountingCoder(),
                cache: SpyCacheManager(clock: time)
            ),
            configuration: configuration,
            clock: time,
            ticker: time
        )
        #expect(try await client.fetch("/a").hash == "7")
        #expect(try await client.fetch("/a").source == .renewed)
    }

    @Test(arguments: ["", "no field name", "a:b"])
    func nameThatIsNoneTurnsTheProtocolOff(name: String) async throws {
        var configuration = ViewClient.Configuration()
        configuration.hashFieldName = name
        let harness = ViewHarness(configuration: configuration)
        let view = try await harness.client.fetch("/home")
        #expect(view.hash == nil)
        #expect(harness.cache?.additions.isEmpty == true)
    }

    @Test func withoutACacheManagerScreensAreKeptByHTTPAlone() async throws {
        let harness = ViewHarness(keepsReferences: false)
        _ = try await harness.client.fetch("/home")
        let second = try await harness.client.fetch("/home")
        #expect(second.source == .memory)
        harness.time.advance(by: .seconds(60))
        #expect(try await harness.client.fetch("/home").source == .network)
        #expect(sentHashes(harness) == [nil, nil])
    }

    // MARK: Beside HTTP's own validators

    @Test func notModifiedOfTheHashReachesTheClientAlthoughHTTPHasItsOwnCopyWithAnEntityTag() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].fields = [.cacheControl: "max-age=60", .eTag: #""a""#]
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        #expect(try await harness.client.fetch("/home").source == .renewed)
        let request = try #require(harness.transport.requests.last)
        #expect(request.head.headerFields[.ifNoneMatch] == nil)
        #expect(request.head.headerFields[ScreenOrigin.hashField] == "hash of /home")
    }

    @Test func oldCopyOfHTTPNeverComesBack() async throws {
        let harness = ViewHarness()
        // By HTTP it would be fresh for a day, by the hash protocol for 300 seconds.
        let longAgo = HTTPDate(harness.time.now().addingTimeInterval(-10 * 86_400)).description
        harness.origin["/home"].fields = [.lastModified: longAgo]
        _ = try await harness.client.fetch("/home")
        harness.origin["/home"] = .init(title: "new", hash: "2", fields: [.lastModified: longAgo])
        harness.time.advance(by: .seconds(300))
        #expect(try await harness.client.fetch("/home").title == "new")
        await harness.cache?.clear()
        #expect(try await harness.restarted().fetch("/home").title == "new")
    }

    @Test func copyThatSomebodyElseHasLeftWithHTTPNeverComesBackEither() async throws {
        let harness = ViewHarness()
        harness.origin["/home"] = .init(title: "1", hash: "1")
        _ = try await harness.client.fetch("/home")
        harness.origin["/home"] = .init(title: "2", hash: "2", fields: [.cacheControl: "max-age=1000"])
        let other = try #require(harness.client.dependencies.client)
        _ = try await other.get("http://example.com/home", options: RequestOptions(cacheMode: .reload)).body.collect(upTo: 100)
        harness.origin["/home"] = .init(title: "3", hash: "3")
        harness.time.advance(by: .seconds(60))
        #expect(try await harness.client.fetch("/home").title == "3")
        await harness.cache?.clear()
        #expect(try await harness.restarted().fetch("/home").title == "3")
    }

    @Test func redirectedResponseIsNotKeptForTheFirstURL() async throws {
        let time = ManualTicker()
        let transport = FakeTransport { request in
            request.head.path == "/a"
                ? .text(status: .found, fields: [.location: "/b"])
                : .text(#"{"title": "b"}"#, fields: [ScreenOrigin.hashField: "1", .cacheControl: "no-cache"])
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
        #expect(try await client.fetch("/a").title == "b")
        #expect(cache.additions.isEmpty)
    }
}
