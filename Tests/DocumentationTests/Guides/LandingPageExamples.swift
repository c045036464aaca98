// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import HoardHummingbird
import HoardImages
import HoardMacros
import HoardModels
import HoardObservability
import HoardProxy
import HoardRedis
import HoardSimulator
import HoardTesting
import HoardTestingServer
import HoardTransports
import HoardViews
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An actor that counts the questions that it gets.
actor Kitchen {
    private(set) var questionCount = 0

    func recipes(for dish: String, limit: Int) throws -> [String] {
        questionCount += 1
        return ["\(dish) \(limit)"]
    }
}

let kitchen = Kitchen()

let recipeCache = Cache<FunctionCall<String, Int>, [String]>(maximumCount: 1_000)

@Cached(in: recipeCache, freshFor: .seconds(60), tags: ["dish-{dish}"])
func recipes(for dish: String, limit: Int) async throws -> [String] {
    try await kitchen.recipes(for: dish, limit: limit)
}

/// The examples of the modules' landing pages, run.
@Suite(.timeLimit(.minutes(1))) struct LandingPageExamples {
    struct User: Codable, Equatable {
        let id: String
    }

    struct Session: Codable, Equatable {
        let token: String
    }

    actor Database {
        private(set) var queryCount = 0

        func user(_ id: String) throws -> User {
            queryCount += 1
            return User(id: id)
        }

        func session(_ token: String) throws -> Session { Session(token: token) }
    }

    private let database = Database()
    private let cacheDirectory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-landing-\(UUID().uuidString)").path

    private func removeDirectory() { try? FileManager.default.removeItem(atPath: cacheDirectory) }

    // MARK: Hoard

    @Test func hoard() async throws {
        let users = TieredCache<String, User>(
            configuration: .init(maximumCount: 10_000, freshFor: .seconds(300)),
            stores: [],
            codec: .json
        )
        let user = try await users.value(forKey: "42") { id in try await database.user(id) }

        #expect(user == User(id: "42"))
        #expect(try await users.value(forKey: "42") { id in try await database.user(id) } == user)
        #expect(await database.queryCount == 1)
    }

    // MARK: HoardMacros

    @Test func hoardMacros() async throws {
        for _ in 0..<2 { #expect(try await recipes(for: "soup", limit: 3) == ["soup 3"]) }
        #expect(await kitchen.questionCount == 1)
        #expect(recipeCache.removeValues(taggedWith: "dish-soup") == 1)
    }

    // MARK: HoardModels

    @MainActor @Test func hoardModels() async throws {
        let users = TieredCache<String, User>(configuration: .init(maximumCount: 10, freshFor: .seconds(300)), stores: [], codec: .json)

        let model = ObservedValue(users, forKey: "42") { id in try await database.user(id) }
        let following = Task { await model.run() }  // in SwiftUI: .task { await model.run() }

        while model.value == nil { await Task.yield() }
        #expect(model.value == User(id: "42"))
        following.cancel()
        await following.value
    }

    // MARK: HoardDisk

    @Test func hoardDisk() async throws {
        defer { removeDirectory() }

        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))
        let users = TieredCache<String, User>(
            configuration: .init(maximumCount: 10_000, freshFor: .seconds(300)),
            stores: [disk],
            codec: .json
        )
        let user = try await users.value(forKey: "42") { id in try await database.user(id) }

        #expect(user == User(id: "42"))
        #expect(try await disk.statistics().count == 1)
        await users.close()
    }

    // MARK: HoardRedis

    /// Without a server the database answers.
    @Test func hoardRedis() async throws {
        let token = "t"

        let redis = try RedisStore(connectingTo: RedisConfiguration(url: "redis://cache.internal:6379"))
        let sessions = TieredCache<String, Session>(configuration: .init(maximumCount: 10_000), stores: [redis], codec: .json)
        let session = try await sessions.value(forKey: token) { token in try await database.session(token) }
        await sessions.removeValue(forKey: token)  // returns when Redis has it

        #expect(session == Session(token: "t"))
        await sessions.close()
    }

    // MARK: HoardMessages

    @Test func hoardMessages() async throws {
        let body = HTTPBody("Hello")
        let text = try await body.collect(upTo: 1_024)
        #expect(text == ByteBuffer(string: "Hello"))
    }

    // MARK: HoardHTTP, HoardTransports

    @Test func hoardHTTP() async throws {
        defer { removeDirectory() }
        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=60"]) }

        let transport = NIOTransport()
        let client = CachingClient(transport: transport, stores: [disk])
        let response = try await client.get(origin.url + "/")
        print(response.cacheStatus)

        #expect(response.cacheStatus.hasPrefix("hoard; fwd=uri-miss"))
        _ = try await response.body.collect(upTo: 100)
        #expect(try await client.get(origin.url + "/").cacheStatus.hasPrefix("hoard; hit"))
        await transport.shutdown()
        await client.cache.close()
        await origin.stop()
    }

    @Test func hoardTransports() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=60"]) }

        let transport = NIOTransport()
        let client = CachingClient(transport: transport)
        let response = try await client.get(origin.url + "/")
        #expect(try await response.body.collect(upTo: 100) == ByteBuffer(string: "hello"))
        await transport.shutdown()

        await client.cache.close()
        await origin.stop()
    }

    @Test func hoardURLProtocol() async throws {
        defer { removeDirectory() }
        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=60"]) }
        let url = try #require(URL(string: origin.url))

        let session = URLSession(configuration: .hoard(cache: HTTPCache(stores: [disk])))
        let (data, _) = try await session.data(from: url)

        #expect(data == Data("hello".utf8))
        session.finishTasksAndInvalidate()
        await origin.stop()
        await disk.close()
    }

    // MARK: HoardViews

    @Test func hoardViews() async throws {
        defer { removeDirectory() }
        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))
        let client = CachingClient(transport: FakeTransport { _ in .text(#"{"_beagleComponent_": "beagle:text", "text": "Tea"}"#) })

        let dependencies = ViewClient.Dependencies(
            urlBuilder: URLBuilder(baseURL: URL(string: "https://example.com/api")),
            client: client,
            cache: CacheManager(store: disk)
        )
        let views = ViewClient(dependencies: dependencies)
        let home = try await views.fetch("/home")
        print(home.component.treeDescription, home.source)

        #expect(home.component.treeDescription.contains("Tea"))
        await client.cache.close()
        await disk.close()
    }

    // MARK: HoardImages

    @Test func hoardImages() async throws {
        let bytes = try #require(Data(base64Encoded: LandingPageExamples.picture))
        let client = CachingClient(transport: FakeTransport { _ in .response(HTTPResponse(status: .ok), body: HTTPBody(ByteBuffer(bytes: bytes))) })
        let pictureURL = "https://example.com/picture.png"

        let images = ImageCache(client: client)
        let picture = try await images.image(for: pictureURL, options: ImageOptions(maximumPixelSize: 300))
        print(picture.width, picture.height)

        #expect(picture.width == 1)
    }

    /// A PNG of one pixel.
    static let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    // MARK: HoardHummingbird

    @Test func hoardHummingbird() async throws {
        let caching = HTTPCacheMiddleware<BasicRequestContext>()
        let router = Router()
        router.add(middleware: caching)
        router.get("articles/:id") { request, context in
            let id = try context.parameters.require("id")
            return Response(
                status: .ok,
                headers: [.cacheControl: "max-age=60"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "Article \(id)"))
            )
        }

        try await Application(router: router).test(.router) { client async throws in
            for _ in 0..<2 { try await client.execute(uri: "/articles/1", method: .get) { #expect(String(buffer: $0.body) == "Article 1") } }
        }
        #expect(caching.cache.statistics.hits == 1)
    }

    // MARK: HoardProxy

    @Test func hoardProxy() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=60"]) }

        var configuration = CachingProxy.Configuration(origin: try Origin(origin.url))
        configuration.listeners = [CachingProxy.Configuration.Listener(.tcp(host: "127.0.0.1", port: 0))]
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: Logger(label: "proxy"))
        print(proxy.urls)
        #expect(proxy.urls.count == 1)
        await proxy.shutdown()

        await origin.stop()
    }

    @Test func theArticleAboutTheProxy() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("hello") }

        var route = CachingProxy.Configuration.Route(upstream: "app")
        route.pathPrefix = "/images/"
        route.policy.lifetime = .always(.seconds(3_600))
        var rest = CachingProxy.Configuration.Route(upstream: "app")
        rest.policy.staleWhileRevalidate = .seconds(60)

        let upstream = CachingProxy.Configuration.Upstream(name: "app", servers: [try Origin(origin.url)])
        var configuration = CachingProxy.Configuration(upstreams: [upstream])
        configuration.routes = [route, rest]
        configuration.listeners = [CachingProxy.Configuration.Listener(.tcp(host: "127.0.0.1", port: 0))]
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: Logger(label: "proxy"))

        let transport = NIOTransport()
        let client = CachingClient(transport: transport)
        for _ in 0..<2 { _ = try await client.get((proxy.urls.first ?? "") + "/images/tea").body.collect(upTo: 100) }
        #expect(origin.requests.count == 1)
        await transport.shutdown()

        await proxy.cache.remove(taggedWith: "images")
        await proxy.shutdown()

        await origin.stop()
    }

    // MARK: HoardObservability

    @Test func hoardObservability() async throws {
        defer { removeDirectory() }
        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))

        let metrics = CacheMetrics()
        let observer = CacheObservers(metrics, CacheLogger(Logger(label: "cache")))
        let users = TieredCache<String, User>(
            name: "users",
            configuration: .init(maximumCount: 10_000, freshFor: .seconds(300)),
            stores: StoreStack([disk], observer: observer),
            codec: .json,
            observer: observer
        )

        #expect(try await users.value(forKey: "42") { id in try await database.user(id) } == User(id: "42"))
        await users.close()
        await disk.close()
    }

    // MARK: HoardSimulator

    @Test func hoardSimulator() async throws {
        let logPath = cacheDirectory
        try Data("1\n2\n1\n3\n1\n".utf8).write(to: URL(fileURLWithPath: logPath))
        defer { removeDirectory() }
        var hitRatios: [Double] = []

        let reader = try AccessTraceReader(path: logPath)
        let simulation = Simulation(policies: [.hoard, .lru], capacities: [.count(2), .percent(50)])
        for result in try await simulation.results(of: reader) {
            print(result.policy, result.capacity, result.hitRatio)
            hitRatios.append(result.hitRatio)
        }
        #expect(hitRatios.first == 0.4)
    }

    // MARK: HoardTesting, HoardTestingServer

    @Test func hoardTesting() {
        let time = ManualTicker()
        let prices = Cache<String, Int>(maximumCount: 100, expiration: .afterWrite(.seconds(60)), ticker: time)
        prices.insert(690, forKey: "tea")
        time.advance(by: .seconds(60))
        print(prices.value(forKey: "tea") as Any)  // nil

        #expect(prices.peek("tea") == nil)
    }

    @Test func hoardTestingServer() async throws {
        let origin = try await FakeOrigin.start { request, body in
            FakeOrigin.Response("hello", fields: [.cacheControl: "max-age=60"])
        }
        print(origin.url, origin.requests.count)
        #expect(origin.requests.isEmpty)
        await origin.stop()
    }
}
