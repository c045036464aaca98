// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import HoardTestingServer
import HoardTransports

/// A network manager with a cache of responses: methods, headers, tokens, JSON, errors, and fakes for tests.
///
/// The differences from the tutorial, and their reasons:
///
/// - The cache is one of HTTP. It keeps each response that the server allows it to keep, for as long as the
///   server allows, and for all clients whose request would get the same. Its key holds the method, the URL, the
///   request fields named in `Vary`, and the token.
/// - Only GET and HEAD are answered from it. A POST is always sent.
/// - A status beyond 200 to 299 is an error that carries the response.
/// - Nothing is a singleton: the app makes the cache of responses, gives it to the manager, and drops it at logout.
@main
struct Program {
    struct Post: Codable, Sendable {
        var id: Int
        var title: String
    }

    static func main() async throws {
        let origin = try await FakeOrigin.start { request, body in await Server.answer(request, body) }
        let transport = NIOTransport()
        let network = NetworkManager(
            client: CachingClient(transport: transport)
        )

        print("A response is used again")
        for _ in 1...2 {
            let response = try await network.fetch(NetworkRequest(.get, origin.url + "/posts/1"))
            print("  GET /posts/1: \(try response.decoded(as: Post.self).title), \(response.source)")
        }

        try await methods(network, origin)
        try await tokens(network, origin)
        await errors(network, origin)
        try await completionHandler(network, origin)
        await ownCache(origin)
        await fakes()

        print("\nThe server saw")
        for request in origin.requests { print("  \(request.method) \(request.path ?? "")") }
        await transport.shutdown()
        await origin.stop()
    }

    static func methods(_ network: NetworkManager, _ origin: FakeOrigin) async throws {
        print("\nMethods, headers and bodies")
        for title in ["First", "Second"] {
            let request = try NetworkRequest.json(
                .post,
                origin.url + "/posts",
                body: Post(id: 0, title: title)
            )
            let post = try await network.fetch(request, as: Post.self)
            print("  POST /posts: \(post.title)")
        }
        for language in ["en", "pt", "en"] {
            let response = try await network.fetch(NetworkRequest(.get, origin.url + "/greeting", headers: [.acceptLanguage: language]))
            print("  GET /greeting in \(language): \(response.text), \(response.source)")
        }
    }

    static func tokens(_ network: NetworkManager, _ origin: FakeOrigin) async throws {
        print("\nTokens")
        for token in ["anna", "bruno", "anna"] {
            let url = origin.url + "/me"
            let request = NetworkRequest(.get, url, token: token)
            let page = try await network.fetch(request)
            print("  GET /me as \(token): \(page.text), \(page.source)")
        }
    }

    static func errors(_ network: NetworkManager, _ origin: FakeOrigin) async {
        print("\nErrors")
        let requests: [(String, NetworkRequest)] = [
            ("a GET with a body", NetworkRequest(.get, origin.url + "/posts/1", body: Data("{}".utf8))),
            ("no URL", NetworkRequest(.get, "www.testurl.com")),
            ("a page that is not there", NetworkRequest(.get, origin.url + "/missing")),
            ("a page for others", NetworkRequest(.get, origin.url + "/forbidden")),
            ("a port where nobody listens", NetworkRequest(.get, "http://127.0.0.1:1/")),
        ]
        for (name, request) in requests {
            do {
                try await network.fetch(request)
            } catch {
                let text = error.response?.text
                let said = text.map { ", and the server says: \($0)" }
                print("  \(name): \(error.code)\(said ?? "")")
            }
        }
    }

    static func completionHandler(_ network: NetworkManager, _ origin: FakeOrigin) async throws {
        print("\nA completion handler")
        let title = try await withCheckedThrowingContinuation { continuation in
            network.fetch(NetworkRequest(.get, origin.url + "/posts/1"), as: Post.self, completingOn: .main) { result in
                continuation.resume(with: result.map(\.title))
            }
        }
        print("  GET /posts/1: \(title)")
    }

    /// The tutorial's protocol: fetch, store, and a subscript.
    static func ownCache(_ origin: FakeOrigin) async {
        print("\nA cache filled by hand")
        let cache = ResponseCache(lifetimeIfUnknown: .seconds(300))
        let request = NetworkRequest(.get, origin.url + "/by-hand")
        print("  before: \(await cache[request]?.text ?? "nothing")")
        await cache.store(NetworkResponse(body: Data("TEsts12".utf8)), for: request)
        print("  fetched: \(await cache.fetch(request)?.text ?? "nothing")")
        await cache.store(
            NetworkResponse(headers: [.cacheControl: "no-store"], body: Data("secret".utf8)),
            for: NetworkRequest(.get, origin.url + "/secret")
        )
        print("  what must not be stored: \(await cache[NetworkRequest(.get, origin.url + "/secret")]?.text ?? "nothing")")
        await cache.removeAll()
        print("  after logout: \(await cache[request]?.text ?? "nothing")")
    }

    /// The tutorial's mocks: a cache that returns the response of the test, and a network without one.
    static func fakes() async {
        print("\nFakes for tests")
        let transport = FakeTransport { _ in .text("from the network") }
        for willReturn in [true, false] {
            let cache = FakeResponseCache(response: willReturn ? NetworkResponse(body: Data("from the cache".utf8), isFromCache: true) : nil)
            let network: any NetworkManaging = NetworkManager(client: CachingClient(transport: transport), cache: cache)
            let response = try? await network.fetch(NetworkRequest(.get, "http://www.example.com/"))
            print("  the cache has \(willReturn ? "a response" : "none"): \(response?.text ?? "nothing")")
        }
    }
}

/// The server on loopback.
enum Server {
    static func answer(_ request: HTTPRequest, _ body: HTTPBody) async -> FakeOrigin.Response {
        switch (request.method, request.path) {
        case (.get, "/posts/1"):
            return .init(#"{"id": 1, "title": "Cache responses"}"#, fields: [.cacheControl: "max-age=60", .contentType: "application/json"])
        case (.post, "/posts"):
            return .init(status: .created, fields: [.contentType: "application/json"], body: body)
        case (.get, "/greeting"):
            let greeting = request.headerFields[.acceptLanguage] == "pt" ? "Bom dia" : "Good morning"
            return .init(greeting, fields: [.cacheControl: "max-age=60", .vary: "Accept-Language"])
        case (.get, "/me"):
            return .init("the profile for \(request.headerFields[.authorization] ?? "nobody")", fields: [.cacheControl: "private, max-age=60"])
        case (.get, "/forbidden"):
            return .init("Not for you.", status: .forbidden)
        default:
            return .init("There is no such page.", status: .notFound)
        }
    }
}

struct FakeResponseCache: ResponseCaching {
    let response: NetworkResponse?

    func fetch(_: NetworkRequest) async -> NetworkResponse? { response }
    func store(_: NetworkResponse, for _: NetworkRequest) async {}
    func remove(_: NetworkRequest) async {}
    func removeAll() async {}
}

extension NetworkResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
    var source: String { isFromCache ? "from the cache" : "from the network" }
}
