// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct CachingClientTests {
    private func client(_ origin: @escaping FakeTransport.Handler = { _ in .text("hello", fields: [.cacheControl: "max-age=60"]) }) -> (
        client: CachingClient, transport: FakeTransport
    ) {
        let transport = FakeTransport(origin)
        return (CachingClient(transport: transport, cache: HTTPCache(clock: TestTime(), ticker: TestTime())), transport)
    }

    @Test func secondGetIsAnsweredFromTheCache() async throws {
        let (client, transport) = client()
        for isFromCache in [false, true] {
            let response = try await client.get("http://example.com/")
            #expect(String(buffer: try await response.body.collect(upTo: 5)) == "hello")
            #expect(response.isFromCache == isFromCache)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func clientHasAPrivateCacheOfItsOwn() async throws {
        let client = CachingClient(transport: FakeTransport { _ in .text("hello", fields: [.cacheControl: "private, max-age=60"]) })
        #expect(client.cache.configuration.mode == .private)
        #expect(try await client.get("http://example.com/").cacheStatus.hasSuffix("; stored"))
        #expect(try await client.get("http://example.com/").isFromCache)
    }

    @Test func storesOfTheClientAreUsed() async throws {
        let store = MemoryStore()
        let transport = FakeTransport { _ in .text("hello", fields: [.cacheControl: "max-age=60"]) }
        let first = CachingClient(transport: transport, stores: [store])
        _ = try await first.get("http://example.com/")
        await first.cache.flush()
        #expect(try await CachingClient(transport: transport, stores: [store]).get("http://example.com/").isFromCache)
    }

    @Test func fieldsAreSentAlong() async throws {
        let (client, transport) = client()
        _ = try await client.get("http://example.com/", fields: [.accept: "text/plain"])
        let fields = transport.requests.map(\.head.headerFields)
        #expect(fields.map { $0[.accept] } == ["text/plain"] && fields.map { $0[.acceptEncoding]?.hasSuffix("gzip, deflate") } == [true])
    }

    @Test func anyRequestCanBeSent() async throws {
        let (client, transport) = client()
        _ = try await client.send(.test(.put, "/a"), body: HTTPBody("content"))
        let request = try #require(transport.requests.first)
        #expect(request.head.method == .put)
        #expect(String(buffer: request.body) == "content")
    }

    @Test(arguments: [300, 304, 404, 500])
    func everyOtherStatusIsAResponse(code: Int) async throws {
        let (client, transport) = client { _ in .text(status: .init(code: code), fields: [.location: "/elsewhere"]) }
        #expect(try await client.get("http://example.com/", fields: [.ifNoneMatch: "\"1\""]).head.status.code == code)
        #expect(transport.requests.count == 1)
    }

    @Test func responseSaysWhichURLAnswered() async throws {
        let (client, _) = client()
        let response = try await client.get("HTTP://Example.com:80/a/../b?q#part")
        #expect(response.url == "http://example.com/b?q")
        #expect(response.redirectCount == 0)
    }

    @Test func interimResponsesAreHandedOn() async throws {
        let hints = HTTPResponse(status: .init(code: 103), headerFields: [.contentLanguage: "en"])
        let (client, _) = client { _ in .text("hello").after(hints) }
        let received = Mutex<[HTTPResponse]>([])
        var options = RequestOptions()
        options.onInterimResponse = { head in received.withLock { $0.append(head) } }
        _ = try await client.get("http://example.com/", options: options)
        #expect(received.withLock { $0 } == [hints])
    }

    @Test(arguments: [("no-store", 3), ("reload", 3), ("no-cache", 3), ("default", 1), ("force-cache", 1), ("only-if-cached", 1)])
    func modeSaysHowTheCacheIsUsed(row: (name: String, requestCount: Int)) async throws {
        let modes: [RequestCacheMode] = [.default, .noStore, .reload, .noCache, .forceCache, .onlyIfCached]
        let mode = try #require(modes.first { $0.description == row.name })
        let (client, transport) = client()
        _ = try await client.get("http://example.com/")
        for _ in 0..<2 { _ = try await client.get("http://example.com/", options: RequestOptions(cacheMode: mode)) }
        #expect(transport.requests.count == row.requestCount)
    }

    // MARK: URLs

    static let targets: [(url: String, scheme: String, authority: String, path: String)] = [
        ("http://example.com", "http", "example.com", "/"),
        ("http://example.com/", "http", "example.com", "/"),
        ("HTTPS://Example.COM:443/A/b", "https", "example.com", "/A/b"),
        ("http://example.com:8080/a", "http", "example.com:8080", "/a"),
        ("http://example.com?q=1", "http", "example.com", "/?q=1"),
        ("http://example.com/a?q=1&r=/x?y", "http", "example.com", "/a?q=1&r=/x?y"),
        ("http://example.com/a#part", "http", "example.com", "/a"),
        ("http://example.com/a?q#part?r", "http", "example.com", "/a?q"),
        ("http://example.com#part", "http", "example.com", "/"),
        ("http://example.com/a b?c d", "http", "example.com", "/a%20b?c%20d"),
        ("http://example.com/p\u{E4}\u{E4}", "http", "example.com", "/p%C3%A4%C3%A4"),
        ("http://example.com/a/../b/./c", "http", "example.com", "/b/c"),
        ("http://[::1]/", "http", "[::1]", "/"),
        ("http://[2001:DB8::1]:8080/a", "http", "[2001:db8::1]:8080", "/a"),
        ("http://127.0.0.1:80/", "http", "127.0.0.1", "/"),
        ("http://example.com//a", "http", "example.com", "//a"),
    ]

    @Test(arguments: targets)
    func urlIsAskedForInItsNormalForm(target: (url: String, scheme: String, authority: String, path: String)) async throws {
        let (client, transport) = client()
        _ = try await client.get(target.url)
        let head = try #require(transport.requests.first?.head)
        #expect(head.method == .get)
        #expect(head.scheme == target.scheme)
        #expect(head.authority == target.authority)
        #expect(head.path == target.path)
    }

    @Test(arguments: [
        "", " ", "example.com", "example.com/a", "//example.com/a", "/a", "ftp://example.com/", "file:///etc/passwd", "http:", "http:/",
        "http://", "http:///a", "http:example.com", "http://user@example.com/", "http://user:password@example.com/", "http://exa mple.com/",
        "http://example.com:port/", "http://example.com:70000/", "http://[::1/", "http://::1]/", "http://ex\u{E4}mple.com/", "mailto:a@example.com",
        "http://example.com\u{0}/", "http://example.com\r\nx/",
    ])
    func urlThatCannotBeAskedForIsRefused(url: String) async throws {
        let (client, transport) = client()
        let error = try await #require(throws: ClientError.self) { try await client.get(url) }
        #expect(error.code == .invalidURL)
        #expect(error.message == "The request has no usable http or https URI.")
        #expect(transport.requests.isEmpty)
    }

    @Test func secretsOfAURLThatIsRefusedAreNotInTheError() async throws {
        let (client, _) = client()
        let error = try await #require(throws: ClientError.self) { try await client.get("http://user:password@example.com/secret") }
        #expect(!"\(error) \(error.cacheStatus)".contains("password"))
        #expect(!"\(error) \(error.cacheStatus)".contains("secret"))
    }

    @Test func originThatCannotBeReachedIsAnError() async throws {
        let (client, _) = client { _ in .failure(TransportError(.tlsFailed, "The certificate has expired.")) }
        let error = try await #require(throws: ClientError.self) { try await client.get("https://example.com/") }
        #expect(error.code == .tlsFailed)
        #expect("\(error)" == "The certificate has expired.")
        #expect(error.transportError?.code == .tlsFailed)
        #expect(error.cacheStatus.hasPrefix("hoard; fwd=uri-miss"))
    }

    static let failures: [(TransportError.Code, ClientError.Code)] = [
        (.invalidURL, .invalidURL), (.cannotConnect, .unreachable), (.tlsFailed, .tlsFailed), (.timedOut, .timedOut),
        (.connectionClosed, .connectionClosed), (.invalidResponse, .invalidResponse), (.cancelled, .cancelled), (.failed, .failed),
    ]

    @Test(arguments: failures)
    func failureOfTheTransportHasACodeOfItsOwn(failure: (TransportError.Code, ClientError.Code)) async throws {
        let (client, _) = client { _ in .failure(TransportError(failure.0, "It failed.")) }
        let error = try await #require(throws: ClientError.self) { try await client.get("https://example.com/") }
        #expect(error.code == failure.1)
    }
}
