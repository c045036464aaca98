// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

@Suite(.timeLimit(.minutes(5))) struct NetworkManagerTests {
    private struct User: Codable, Hashable {
        var name: String
        var tags: [String] = []
    }

    private static func manager(
        cache: (any ResponseCaching)? = nil,
        maximumResponseBytes: Int = 1_000,
        _ origin: @escaping FakeTransport.Handler = { _ in .text("hello", fields: [.cacheControl: "max-age=60"]) }
    ) -> (manager: NetworkManager, transport: FakeTransport) {
        let transport = FakeTransport(origin)
        let client = CachingClient(transport: transport, cache: HTTPCache(clock: TestTime(), ticker: TestTime()))
        return (NetworkManager(client: client, cache: cache, maximumResponseBytes: maximumResponseBytes), transport)
    }

    private static func text(_ response: NetworkResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    // MARK: Requests

    @Test func responseComesWithAllOfItsBody() async throws {
        let (manager, _) = Self.manager { _ in .parts(["one ", "two"], status: .created, fields: [.contentType: "text/plain"]) }
        let response = try await manager.fetch(NetworkRequest(.put, "http://example.com/a#part"))
        #expect(Self.text(response) == "one two")
        #expect(response.status == .created)
        #expect(response.headers[.contentType] == "text/plain")
        #expect(response.url == "http://example.com/a")
        #expect(!response.isFromCache)
        #expect(!response.isTruncated)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func methodHeadersAndBodyAreSent(method: HTTPRequest.Method) async throws {
        let (manager, transport) = Self.manager()
        _ = try await manager.fetch(NetworkRequest(method, "http://example.com/a", headers: [.accept: "*/*"], body: Data("content".utf8)))
        let request = try #require(transport.requests.first)
        #expect(request.headWithoutCodings == .test(method, "/a", [.accept: "*/*"]))
        #expect(String(buffer: request.body) == "content")
    }

    @Test func tokenTakesThePlaceOfAuthorization() async throws {
        let (manager, transport) = Self.manager()
        _ = try await manager.fetch(NetworkRequest(.get, "http://example.com/", headers: [.authorization: "Basic x"], token: "a.b-c_d"))
        #expect(transport.requests.first?.headWithoutCodings.headerFields == [.authorization: "Bearer a.b-c_d"])
    }

    @Test(arguments: ["", "a b", "a\r\nX-Other: b", "\u{E4}"])
    func tokenThatCannotBeSentIsRefused(token: String) async throws {
        let (manager, transport) = Self.manager()
        let error = await #expect(throws: NetworkError.self) { try await manager.fetch(NetworkRequest(.get, "http://example.com/", token: token)) }
        #expect(error?.code == .invalidToken)
        #expect(transport.requests.isEmpty)
    }

    static let queries: [(url: String, path: String)] = [
        ("http://example.com", "/?q=a%20%26%20b%3D%C3%A4%2B%2F&flag&empty="),
        ("http://example.com/a?x=1#part", "/a?x=1&q=a%20%26%20b%3D%C3%A4%2B%2F&flag&empty="),
        ("http://example.com/a?", "/a?q=a%20%26%20b%3D%C3%A4%2B%2F&flag&empty="),
    ]

    @Test(arguments: queries)
    func queryItemsAreEncoded(row: (url: String, path: String)) async throws {
        let (manager, transport) = Self.manager()
        let items = [NetworkRequest.QueryItem("q", "a & b=\u{E4}+/"), .init("flag", nil), .init("empty", "")]
        _ = try await manager.fetch(NetworkRequest(.get, row.url, queryItems: items))
        #expect(transport.requests.first?.head.path == row.path)
    }

    @Test(arguments: [HTTPRequest.Method.get, .head, .trace])
    func contentInAGETIsRefused(method: HTTPRequest.Method) async throws {
        let (manager, transport) = Self.manager()
        let error = await #expect(throws: NetworkError.self) {
            try await manager.fetch(NetworkRequest(method, "http://example.com/", body: Data()))
        }
        #expect(error?.code == .bodyInGet)
        #expect("\(try #require(error))" == "A \(method) request has no content.")
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: ["", "example.com", "ftp://example.com/", "http://user@example.com/"])
    func urlThatIsNoneOfHTTPsIsRefused(url: String) async throws {
        let error = await #expect(throws: NetworkError.self) { try await Self.manager().manager.fetch(NetworkRequest(.get, url)) }
        #expect(error?.code == .invalidURL)
    }

    // MARK: JSON

    @Test func valueIsSentAsJSON() async throws {
        let (manager, transport) = Self.manager()
        let user = User(name: "Alan", tags: ["a"])
        _ = try await manager.fetch(.json(.post, "http://example.com/users", body: user, token: "t"))
        let request = try #require(transport.requests.first)
        #expect(request.head.headerFields[.contentType] == "application/json")
        #expect(request.head.headerFields[.authorization] == "Bearer t")
        #expect(try JSONDecoder().decode(User.self, from: Data(request.body.readableBytesView)) == user)
        let patch = try NetworkRequest.json(.patch, "http://example.com/", body: user, headers: [.contentType: "application/merge-patch+json"])
        #expect(patch.headers[fields: .contentType].map(\.value) == ["application/merge-patch+json"])
    }

    @Test func valueThatIsNoJSONIsAnErrorThatSaysWhere() throws {
        let error = #expect(throws: NetworkError.self) { try NetworkRequest.json(.post, "http://example.com/", body: ["a": [1, Double.nan]]) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.codingPath == ["a", "[1]"])
    }

    @Test func valueIsReadFromJSON() async throws {
        let (manager, _) = Self.manager { _ in .text(#"{"name": "Alan", "tags": ["a", "b"]}"#) }
        let user = try await manager.fetch(NetworkRequest(.get, "http://example.com/"), as: User.self)
        #expect(user == User(name: "Alan", tags: ["a", "b"]))
    }

    static let malformed: [(text: String, path: [String])] = [
        (#"{"name": "Alan", "tags": ["a", 7]}"#, ["tags", "[1]"]), (#"{"tags": []}"#, ["name"]), (#"{"name": null, "tags": []}"#, ["name"]),
        ("<html>", []), ("", []), ("[]", []),
    ]

    @Test(arguments: malformed)
    func valueThatIsNotAsExpectedIsAnErrorThatSaysWhere(row: (text: String, path: [String])) async throws {
        let (manager, _) = Self.manager { _ in .text(row.text) }
        let error = await #expect(throws: NetworkError.self) { try await manager.fetch(NetworkRequest(.get, "http://example.com/"), as: User.self) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.codingPath == row.path)
        #expect(error?.response.map(Self.text) == row.text)
        #expect(!"\(try #require(error))".contains("Alan"), "What came may be secret.")
    }

    // MARK: Failures

    static let statuses: [(code: Int, error: NetworkError.Code)] = [
        (301, .unacceptableStatus), (304, .unacceptableStatus), (400, .unacceptableStatus), (401, .accessForbidden), (403, .accessForbidden),
        (404, .notFound), (410, .notFound), (500, .unacceptableStatus), (503, .unacceptableStatus),
    ]

    @Test(arguments: statuses)
    func statusThatIsNoSuccessIsAnErrorWithTheBody(row: (code: Int, error: NetworkError.Code)) async throws {
        let (manager, _) = Self.manager { _ in .text("reason", status: .init(code: row.code), fields: [.contentType: "text/plain"]) }
        let error = await #expect(throws: NetworkError.self) {
            try await manager.fetch(NetworkRequest(.get, "http://example.com/", headers: [.ifNoneMatch: "\"1\""]))
        }
        #expect(error?.code == row.error)
        #expect(error?.response?.status.code == row.code)
        #expect(error?.response.map(Self.text) == "reason")
        #expect(error?.response?.headers[.contentType] == "text/plain")
        #expect("\(try #require(error))" == "The response has the status \(row.code).")
    }

    static let failures: [(TransportError.Code, NetworkError.Code)] = [
        (.cannotConnect, .offline), (.timedOut, .timedOut), (.tlsFailed, .tlsFailed), (.connectionClosed, .failed), (.cancelled, .cancelled),
    ]

    @Test(arguments: failures)
    func failureOfTheTransportHasACode(row: (TransportError.Code, NetworkError.Code)) async throws {
        let (manager, _) = Self.manager { _ in .failure(TransportError(row.0, "It failed.")) }
        let error = await #expect(throws: NetworkError.self) { try await manager.fetch(NetworkRequest(.post, "http://example.com/")) }
        #expect(error?.code == row.1)
        #expect(error?.message == "It failed.")
    }

    @Test func ownCacheDoesNotKeepWhatARedirectHasLedTo() async throws {
        let cache = ResponseCache(cache: HTTPCache(clock: TestTime(), ticker: TestTime()))
        let (manager, transport) = Self.manager(cache: cache) { request in
            request.head.path == "/latest"
                ? .text(status: .found, fields: [.location: "/v1"]) : .text("v1", fields: [.cacheControl: "max-age=60"])
        }
        for _ in 1...2 {
            let response = try await manager.fetch(NetworkRequest(.get, "http://example.com/latest"))
            #expect(response.url == "http://example.com/v1")
        }
        #expect(transport.requests.map(\.head.path) == ["/latest", "/v1", "/latest"])
        #expect(await cache.fetch(NetworkRequest(.get, "http://example.com/latest")) == nil)
    }

    static let changes: [(answer: FakeTransport.Answer, removed: [String])] = [
        (.text(fields: [.location: "/b"]), ["/a", "/b"]), (.text(status: .noContent), ["/a"]), (.text(status: .conflict), []),
        (.text(status: .seeOther, fields: [.location: "/c"]), ["/a", "/c"]), (.failure(TransportError(.timedOut, "It failed.")), ["/a"]),
        (.failure(TransportError(.cannotConnect, "It failed.")), []),
    ]

    @Test(arguments: changes.indices) func ownCacheLosesWhatAChangeMakesObsolete(index: Int) async throws {
        let (answer, removed) = Self.changes[index]
        let cache = ResponseCache(cache: HTTPCache(clock: TestTime(), ticker: TestTime()))
        let (manager, _) = Self.manager(cache: cache) { request in request.head.method == .put ? answer : .text("new") }
        let paths = ["/a", "/b", "/c"]
        for path in paths {
            let reply = NetworkResponse(headers: [.cacheControl: "max-age=60"], body: Data("old".utf8))
            await cache.store(reply, for: NetworkRequest(.get, "http://example.com\(path)"))
        }
        _ = try? await manager.fetch(NetworkRequest(.put, "http://example.com/a"))
        for path in paths {
            let isKept = await cache.fetch(NetworkRequest(.get, "http://example.com\(path)")) != nil
            #expect(isKept != removed.contains(path), "\(path)")
        }
    }

    /// The first origin has done what was asked for, although the second one cannot be reached.
    @Test func ownCacheLosesWhatAChangeMakesObsoleteThoughItsRedirectLeadsNowhere() async throws {
        let cache = ResponseCache(cache: HTTPCache(clock: TestTime(), ticker: TestTime()))
        let (manager, transport) = Self.manager(cache: cache) { request in
            guard request.head.authority == "example.com" else { return .failure(TransportError(.cannotConnect, "It failed.")) }
            return .text(status: .seeOther, fields: [.location: "http://away.example/"])
        }
        let request = NetworkRequest(.get, "http://example.com/a")
        await cache.store(NetworkResponse(headers: [.cacheControl: "max-age=60"], body: Data("old".utf8)), for: request)
        let error = await #expect(throws: NetworkError.self) { try await manager.fetch(NetworkRequest(.post, "http://example.com/a")) }
        #expect(error?.code == .offline && transport.requests.count == 2)
        #expect(await cache.fetch(request) == nil)
    }

    @Test(arguments: [(path: "/a", isKept: false), (path: "/b", isKept: true)])
    func ownCacheGetsNothingThatWasRequestedBeforeAChange(row: (path: String, isKept: Bool)) async throws {
        let cache = ResponseCache(cache: HTTPCache(clock: TestTime(), ticker: TestTime()))
        let (manager, transport) = Self.manager(cache: cache)
        let request = NetworkRequest(.get, "http://example.com\(row.path)")
        let hold = transport.hold { $0.head.method == .get }
        let fetch = Task { try await manager.fetch(request) }
        await hold.arrivals(1)
        _ = try await manager.fetch(NetworkRequest(.put, "http://example.com/a"))
        hold.release()
        #expect(try await Self.text(fetch.value) == "hello")
        #expect((await cache.fetch(request) != nil) == row.isKept)
    }

    @Test func ownCacheLosesWhatItStoresDuringAChange() async throws {
        let cache = SpyResponseCache()
        let (manager, _) = Self.manager(cache: cache)
        cache.onStore = { _ = try? await manager.fetch(NetworkRequest(.put, "http://example.com/a")) }
        _ = try await manager.fetch(NetworkRequest(.get, "http://example.com/a"))
        #expect(cache.calls == ["fetch GET http://example.com/a", "store GET http://example.com/a"])
        #expect(cache.removals == ["http://example.com/a", "http://example.com/a"], "By the change, and by the fetch behind it.")
    }

    @Test func redirectThatCannotBeFollowedIsAnError() async throws {
        let (manager, _) = Self.manager { _ in .text(status: .found, fields: [.location: "/"]) }
        let error = await #expect(throws: NetworkError.self) { try await manager.fetch(NetworkRequest(.get, "http://example.com/")) }
        #expect(error?.code == .redirectFailed)
    }

    @Test func bodyThatBreaksOffIsAnError() async throws {
        let (manager, _) = Self.manager { _ in .parts(["half"], breakingOffWith: TransportError(.timedOut, "It stopped.")) }
        let error = await #expect(throws: NetworkError.self) { try await manager.fetch(NetworkRequest(.get, "http://example.com/")) }
        #expect(error?.code == .timedOut)
    }

    @Test func bodiesAreNoLongerThanAllowed() async throws {
        let (manager, _) = Self.manager(maximumResponseBytes: 6) { request in
            .parts(["1234", "56", request.head.path == "/long" ? "7" : ""], status: request.head.method == .get ? .ok : .badGateway)
        }
        #expect(try await Self.text(manager.fetch(NetworkRequest(.get, "http://example.com/short"))) == "123456")
        let error = await #expect(throws: NetworkError.self) { try await manager.fetch(NetworkRequest(.get, "http://example.com/long")) }
        #expect(error?.code == .tooLarge)
        let failure = await #expect(throws: NetworkError.self) { try await manager.fetch(NetworkRequest(.post, "http://example.com/long")) }
        #expect(failure?.code == .unacceptableStatus)
        #expect(failure?.response.map(Self.text) == "123456")
        #expect(failure?.response?.isTruncated == true)
    }

    // MARK: The cache

    @Test func repliesAreKeptAsHTTPAllows() async throws {
        let (manager, transport) = Self.manager()
        for isFromCache in [false, true] {
            let response = try await manager.fetch(NetworkRequest(.get, "http://example.com/"))
            #expect(response.isFromCache == isFromCache)
            #expect(Self.text(response) == "hello")
        }
        #expect(try await Self.text(manager.fetch(NetworkRequest(.head, "http://example.com/"))).isEmpty)
        #expect(transport.requests.count == 1)
        for _ in 0..<2 { _ = try await manager.fetch(NetworkRequest(.post, "http://example.com/")) }
        #expect(transport.requests.count == 3, "A POST is always sent.")
    }

    @Test func twoUsersNeverShareAReply() async throws {
        let (manager, transport) = Self.manager { request in
            .text(request.head.headerFields[.authorization] ?? "nobody", fields: [.cacheControl: "max-age=60"])
        }
        for token in ["one", "two", nil, "one", "two", nil] {
            let response = try await manager.fetch(NetworkRequest(.get, "http://example.com/", token: token))
            #expect(Self.text(response) == (token.map { "Bearer \($0)" } ?? "nobody"))
        }
        #expect(transport.requests.count == 3)
    }

    @Test func cacheThatIsGivenIsAskedFirstAndToldAfterwards() async throws {
        let cache = SpyResponseCache()
        let (manager, transport) = Self.manager(cache: cache) { request in
            request.head.path == "/bad" ? .text("bad", status: .badRequest) : .text("fetched", fields: [.cacheControl: "no-store"])
        }
        let request = NetworkRequest(.get, "http://example.com/a")
        #expect(try await Self.text(manager.fetch(request)) == "fetched")
        #expect(cache.calls == ["fetch GET http://example.com/a", "store GET http://example.com/a"])
        cache.answer = NetworkResponse(body: Data("kept".utf8), isFromCache: true)
        #expect(try await Self.text(manager.fetch(request)) == "kept")
        #expect(transport.requests.count == 1)
        _ = try? await manager.fetch(NetworkRequest(.post, "http://example.com/a"))
        var fresh = request
        fresh.options.cacheMode = .noCache
        _ = try await manager.fetch(fresh)
        cache.answer = nil
        _ = try? await manager.fetch(NetworkRequest(.get, "http://example.com/bad"))
        #expect(cache.calls.dropFirst(2) == ["fetch GET http://example.com/a", "fetch GET http://example.com/bad"])
    }
}

private final class SpyResponseCache: ResponseCaching {
    private struct State {
        var calls: [String] = []
        var removals: [String] = []
        var answer: NetworkResponse?
        var onStore: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    var calls: [String] { state.withLock { $0.calls } }
    var removals: [String] { state.withLock { $0.removals } }
    var answer: NetworkResponse? {
        get { state.withLock { $0.answer } }
        set { state.withLock { $0.answer = newValue } }
    }
    /// Called while a response is being stored.
    var onStore: (@Sendable () async -> Void)? {
        get { state.withLock { $0.onStore } }
        set { state.withLock { $0.onStore = newValue } }
    }

    func fetch(_ request: NetworkRequest) async -> NetworkResponse? {
        state.withLock { state in
            state.calls.append("fetch \(request.method) \(request.url)")
            return state.answer
        }
    }

    func store(_: NetworkResponse, for request: NetworkRequest) async {
        state.withLock { $0.calls.append("store \(request.method) \(request.url)") }
        await onStore?()
    }

    func remove(_ request: NetworkRequest) async {
        state.withLock { $0.removals.append(request.url) }
    }

    func removeAll() async {}
}
