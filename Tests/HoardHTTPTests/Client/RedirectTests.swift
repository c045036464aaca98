// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardHTTP
@testable import HoardMessages

@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
    /// A client, and an origin that redirects from the paths in `table` and answers other requests with their method and content.
    private static func client(
        _ table: [String: (code: Int, location: String)],
        fields: HTTPFields = [:]
    ) -> (client: CachingClient, transport: FakeTransport) {
        let transport = FakeTransport { request in
            if let redirect = table[request.head.path ?? ""] {
                return .text("moved", status: .init(code: redirect.code), fields: fields + [.location: redirect.location])
            }
            return .text("\(request.head.method) \(String(buffer: request.body))")
        }
        return (CachingClient(transport: transport, cache: HTTPCache(clock: TestTime(), ticker: TestTime())), transport)
    }

    private static func text(_ response: ClientResponse) async throws -> String {
        String(buffer: try await response.body.collect(upTo: 1_000))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectOfAGETIsFollowed(code: Int) async throws {
        let (client, transport) = Self.client(["/a": (code, "/b")])
        let response = try await client.get("http://example.com/a")
        #expect(try await Self.text(response) == "GET ")
        #expect(response.url == "http://example.com/b")
        #expect(response.redirectCount == 1)
        #expect(transport.requests.compactMap(\.head.path) == ["/a", "/b"])
    }

    @Test(arguments: [nil, Duration.seconds(60)])
    func redirectFromMemoryIsCountedOnce(timeout: Duration?) async throws {
        let (client, transport) = Self.client(["/a": (301, "/b")], fields: [.cacheControl: "max-age=60"])
        for _ in 0..<2 {
            let response = try await client.get("http://example.com/a", options: RequestOptions(timeout: timeout))
            #expect(try await Self.text(response) == "GET ")
        }
        #expect(transport.requests.compactMap(\.head.path) == ["/a", "/b", "/b"])
        #expect(client.cache.statistics.hits == 1)
        #expect(client.cache.statistics.misses == 3)
    }

    @Test func answerWithoutContentFromMemoryNeedsNoDeadline() async throws {
        let time = TestTime()
        let transport = FakeTransport { _ in .text("kept", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""]) }
        let client = CachingClient(transport: transport, cache: HTTPCache(clock: time, ticker: time))
        let options = RequestOptions(timeout: .seconds(60))
        #expect(try await Self.text(try await client.get("http://example.com/a", options: options)) == "kept")
        #expect(try await client.get("http://example.com/a", fields: [.ifNoneMatch: "\"1\""], options: options).head.status == .notModified)
        #expect(transport.requests.count == 1)
        #expect(client.cache.statistics.hits == 1)
    }

    static let methods: [(method: HTTPRequest.Method, code: Int, text: String)] = [
        (.post, 301, "GET "), (.post, 302, "GET "), (.post, 303, "GET "), (.post, 307, "POST content"), (.post, 308, "POST content"),
        (.put, 301, "PUT content"), (.put, 302, "PUT content"), (.put, 303, "GET "), (.put, 307, "PUT content"), (.delete, 303, "GET "),
        (.patch, 308, "PATCH content"),
    ]

    @Test(arguments: methods)
    func methodAndContentAreKeptOrDroppedAsTheStatusSays(row: (method: HTTPRequest.Method, code: Int, text: String)) async throws {
        let (client, transport) = Self.client(["/a": (row.code, "/b")])
        let fields: HTTPFields = [.contentType: "text/plain", .contentLanguage: "en", .accept: "*/*"]
        let response = try await client.send(.test(row.method, "/a", fields), body: HTTPBody("content"))
        #expect(try await Self.text(response) == row.text)
        let last = try #require(transport.requests.last).headWithoutCodings
        #expect(last.headerFields == (row.text == "GET " ? [.accept: "*/*"] : fields))
    }

    @Test func digestsOfContentThatIsDroppedAreDroppedToo() async throws {
        let (client, transport) = Self.client(["/a": (303, "/b")])
        let fields: HTTPFields = [.contentMD5: "mgNkuembtIDdJeHwKEyFVQ==", .contentDigest: "sha-256=:AA==:", .accept: "*/*"]
        _ = try await client.send(.test(.post, "/a", fields), body: HTTPBody("content"))
        let followed = try #require(transport.requests.last).head
        #expect(followed.path == "/b" && followed.headerFields[.accept] == "*/*")
        #expect(followed.headerFields[.contentMD5] == nil && followed.headerFields[.contentDigest] == nil)
    }

    @Test func redirectOfAHEADStaysAHEAD() async throws {
        let (client, transport) = Self.client(["/a": (303, "/b")])
        _ = try await client.send(.test(.head, "/a"))
        #expect(transport.requests.map(\.head.method) == [.head, .head])
    }

    static let locations: [(location: String, url: String)] = [
        ("/b", "http://example.com/b"), ("b", "http://example.com/x/b"), ("../b?q=1", "http://example.com/b?q=1"), ("?q", "http://example.com/x/a?q"),
        ("//other.example/c", "http://other.example/c"), ("http://other.example", "http://other.example/"), ("b#part", "http://example.com/x/b"),
        ("https://example.com/b", "https://example.com/b"), ("HTTP://Other.Example:80/%7eb", "http://other.example/~b"),
    ]

    @Test(arguments: locations)
    func locationIsResolvedAgainstTheRequest(row: (location: String, url: String)) async throws {
        let (client, _) = Self.client(["/x/a": (302, row.location)])
        let response = try await client.get("http://example.com/x/a#ignored")
        #expect(response.url == row.url)
    }

    @Test(arguments: ["ftp://example.com/", "file:///etc/passwd", "http:", "data:,x", "http://user@example.com/", "mailto:a@example.com"])
    func locationThatIsNoneOfHTTPsIsAnError(location: String) async throws {
        let (client, transport) = Self.client(["/a": (302, location)])
        let error = await #expect(throws: ClientError.self) { try await client.get("http://example.com/a") }
        #expect(error?.code == .invalidRedirect)
        #expect(transport.requests.count == 1)
    }

    @Test func moreThanOneLocationIsAnErrorUnlessTheyAreEqual() async throws {
        let (client, _) = Self.client(["/a": (302, "/b")], fields: [.location: "/c"])
        let error = await #expect(throws: ClientError.self) { try await client.get("http://example.com/a") }
        #expect(error?.code == .invalidRedirect)
        let (agreeing, _) = Self.client(["/a": (302, "/b")], fields: [.location: "/b"])
        #expect(try await agreeing.get("http://example.com/a").url == "http://example.com/b")
    }

    @Test func redirectWithoutLocationIsAResponse() async throws {
        let transport = FakeTransport { _ in .text("nowhere", status: .found) }
        let response = try await CachingClient(transport: transport).get("http://example.com/")
        #expect(response.head.status == .found)
        #expect(try await Self.text(response) == "nowhere")
    }

    // MARK: Limits

    @Test func noMoreRedirectsAreFollowedThanAllowed() async throws {
        let table = Dictionary(uniqueKeysWithValues: (0..<21).map { ("/\($0)", (code: 302, location: "/\($0 + 1)")) })
        let (client, _) = Self.client(table)
        #expect(try await client.get("http://example.com/1").redirectCount == 20)
        let error = await #expect(throws: ClientError.self) { try await client.get("http://example.com/0") }
        #expect(error?.code == .tooManyRedirects)
        var options = RequestOptions()
        options.maximumRedirectCount = 0
        let first = await #expect(throws: ClientError.self) { try await client.get("http://example.com/20", options: options) }
        #expect(first?.code == .tooManyRedirects)
    }

    @Test func redirectsAreNotFollowedIfNotAskedFor() async throws {
        let (client, transport) = Self.client(["/a": (301, "/b")])
        var options = RequestOptions()
        options.followsRedirects = false
        let response = try await client.get("http://example.com/a", options: options)
        #expect(response.head.status == .movedPermanently)
        #expect(try await Self.text(response) == "moved")
        #expect(transport.requests.count == 1)
    }

    @Test func loopIsAnErrorAsSoonAsItIsSeen() async throws {
        let (client, transport) = Self.client(["/a": (302, "/b"), "/b": (302, "/a#again")])
        let error = await #expect(throws: ClientError.self) { try await client.get("http://example.com/a") }
        #expect(error?.code == .redirectLoop)
        #expect(transport.requests.count == 2)
    }

    @Test func redirectToItselfWithAnotherMethodIsNoLoop() async throws {
        let transport = FakeTransport { $0.head.method == .post ? .text(status: .seeOther, fields: [.location: "/a"]) : .text("result") }
        let response = try await CachingClient(transport: transport).send(.test(.post, "/a"), body: HTTPBody("content"))
        #expect(try await Self.text(response) == "result")
    }

    // MARK: Safety

    @Test func redirectFromHTTPSToHTTPIsRefusedUnlessAllowed() async throws {
        let (client, transport) = Self.client(["/a": (302, "http://example.com/b")])
        let error = await #expect(throws: ClientError.self) { try await client.get("https://example.com/a") }
        #expect(error?.code == .insecureRedirect)
        #expect(transport.requests.count == 1)
        var options = RequestOptions()
        options.allowsInsecureRedirects = true
        #expect(try await client.get("https://example.com/a", options: options).url == "http://example.com/b")
    }

    private static let credentials: HTTPFields = [.authorization: "Bearer secret", .cookie: "id=1", .accept: "*/*"]

    @Test(arguments: ["http://other.example/b", "https://example.com/b", "http://example.com:8080/b"])
    func credentialsStayWithTheirOrigin(location: String) async throws {
        let (client, transport) = Self.client(["/a": (307, location), "/b": (307, "http://example.com/c")])
        _ = try? await client.get("http://example.com/a", fields: Self.credentials)
        #expect(transport.requests[0].headWithoutCodings.headerFields == Self.credentials)
        for request in transport.requests.dropFirst() {
            #expect(request.headWithoutCodings.headerFields == [.accept: "*/*"], "Nor do they come back.")
        }
    }

    @Test func credentialsGoOnToTheSameOrigin() async throws {
        let (client, transport) = Self.client(["/a": (302, "http://EXAMPLE.com:80/b")])
        _ = try await client.get("http://example.com/a", fields: Self.credentials)
        #expect(transport.requests.map(\.headWithoutCodings.headerFields) == [Self.credentials, Self.credentials])
    }

    @Test func errorsDoNotTellWhereARedirectLed() async throws {
        let (client, _) = Self.client(["/a?key=2": (302, "ftp://secret.example/?token=1")])
        let error = await #expect(throws: ClientError.self) { try await client.get("http://example.com/a?key=2") }
        let text = error.map { "\($0)" } ?? ""
        #expect(text == "example.com redirects to something that is no http or https URL.")
    }

    @Test func streamedContentIsNotSentTwice() async throws {
        let (client, transport) = Self.client(["/a": (307, "/b"), "/c": (303, "/b")])
        let (body, feed) = BodyFeed.makeBody()
        feed.send("content")
        feed.finish()
        let error = await #expect(throws: ClientError.self) { try await client.send(.test(.post, "/a"), body: body) }
        #expect(error?.code == .bodyCannotBeSentAgain)
        #expect(transport.requests.count == 1)
        let (dropped, other) = BodyFeed.makeBody()
        other.finish()
        #expect(try await client.send(.test(.post, "/c"), body: dropped).head.status == .ok)
    }

    // MARK: The cache

    @Test(arguments: [301, 308])
    func storedRedirectIsFollowedWithoutARequest(code: Int) async throws {
        let (client, transport) = Self.client(["/a": (code, "/b")], fields: [.cacheControl: "max-age=60"])
        for _ in 0..<3 { #expect(try await client.get("http://example.com/a").url == "http://example.com/b") }
        #expect(transport.requests.filter { $0.head.path == "/a" }.count == 1)
    }

    @Test func redirectWhoseContentStreamsIsStoredToo() async throws {
        let transport = FakeTransport { request in
            request.head.path == "/a"
                ? .parts(["mov", "ed"], status: .movedPermanently, fields: [.location: "/b", .cacheControl: "max-age=60"]) : .text("b")
        }
        let client = CachingClient(transport: transport, cache: HTTPCache(clock: TestTime(), ticker: TestTime()))
        for _ in 0..<2 { _ = try await client.get("http://example.com/a") }
        #expect(transport.requests.compactMap(\.head.path) == ["/a", "/b", "/b"])
    }
}
