// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import HoardImages
import HoardMacros
import HoardModels
import HoardRedis
import HoardTesting
import HoardTestingServer
import HoardTransports
import HoardViews
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Post: Sendable {
    let title: String
}

/// Counts the questions.
actor PostDatabase {
    private(set) var queryCount = 0

    func posts(by author: Int, in language: String) throws -> [Post] {
        queryCount += 1
        return [Post(title: "\(author) \(language)")]
    }
}

let postDatabase = PostDatabase()

let postCache = Cache<FunctionCall<Int, String>, [Post]>(maximumCount: 1_000)

@Cached(in: postCache, freshFor: .seconds(60), tags: ["author-{author}"])
func posts(by author: Int, in language: String) async throws -> [Post] {
    try await postDatabase.posts(by: author, in: language)  // once for all who ask meanwhile; postsUncached(by:in:) always does this
}

/// The examples of the README, the tour and the page on invalidation, run. Each line of their Swift blocks stands here too; a test checks that.
@Suite struct ReadmeTests {
    struct User: Codable, Equatable {
        let id: String
    }

    struct Session: Codable, Equatable {
        let token: String
    }

    /// A database that counts its queries.
    actor Database {
        private(set) var queryCount = 0

        func user(_ id: String) throws -> User {
            queryCount += 1
            return User(id: id)
        }

        func session(_ token: String) throws -> Session { Session(token: token) }
    }

    private let cacheDirectory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-readme-\(UUID().uuidString)").path

    @Test func aCachedFunctionAsksTheDatabaseOnce() async throws {
        #expect(try await posts(by: 7, in: "en").map(\.title) == ["7 en"])
        #expect(try await posts(by: 7, in: "en").map(\.title) == ["7 en"])
        #expect(await postDatabase.queryCount == 1)
        postCache.removeValues(taggedWith: "author-7")
        #expect(try await posts(by: 7, in: "en").map(\.title) == ["7 en"])
        #expect(await postDatabase.queryCount == 2)
    }

    // MARK: The doors of the README

    /// The door for apps.
    struct AppTests {
        struct User: Codable { var name: String }
        func download(_ id: String) async throws -> User { User(name: "Ada") }  // your request

        @Test func theFolderIsOneOfItsOwn() {
            let folder = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0].appending(path: "users").path
            #expect(folder.hasSuffix("/users"))
        }

        @Test func theNextStartFindsOnDiskWhatWasLoaded() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "hoard-readme-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await firstStart(folder)
            let disk = try DiskStore(configuration: .init(directory: folder))
            let users = TieredCache<String, User>(configuration: .init(maximumCount: 1_000), stores: [disk], codec: .json)
            #expect(await users.value(forKey: "42")?.name == "Ada")
            await users.close()
        }

        private func firstStart(_ folder: String) async throws {
            let disk = try DiskStore(configuration: .init(directory: folder))
            let users = TieredCache<String, User>(configuration: .init(maximumCount: 1_000, freshFor: .seconds(300)), stores: [disk], codec: .json)

            let user = try await users.value(forKey: "42") { id in try await download(id) }  // the next start finds it on disk
            print(user.name)
            await users.close()
            #expect(user.name == "Ada")
        }
    }

    /// The door for servers.
    struct ServerTests {
        struct Price: Codable { var cents: Int }
        func query(_ id: Int) async throws -> Price { Price(cents: 490) }  // your database

        @Test func aPriceThatWasRemovedDoesNotComeBack() async throws {
            var policy = CachePolicy(freshFor: .seconds(60))
            policy.staleWhileRevalidate = .seconds(600)  // then an older price at once, and the next one in the background
            policy.staleIfError = .seconds(3_600)  // the last price, if a query fails
            let prices = TieredCache<Int, Price>(configuration: .init(maximumCount: 100_000, policy: policy), stores: [], codec: .json)

            let price = try await prices.value(forKey: 7) { id in try await query(id) }
            await prices.removeValue(forKey: 7)  // a query that is under way does not bring the old price back
            print(price.cents)
            #expect(price.cents == 490)
            let isGone = await prices.value(forKey: 7) == nil
            #expect(isGone)

            // The same, where the query is under way.
            let gate = Gate()
            async let older = prices.value(forKey: 7) { _ in
                await gate.pass()
                return Price(cents: 1)
            }
            await gate.arrivals(1)
            await prices.removeValue(forKey: 7)
            gate.open()
            #expect(try await older.cents == 1)
            let isStillGone = await prices.value(forKey: 7) == nil
            #expect(isStillGone)
            await prices.close()
        }
    }

    /// A database that has a price, and another one later, or none.
    actor Prices {
        struct Away: Error {}

        var cents: Int? = 490

        func set(_ cents: Int?) { self.cents = cents }

        func price() throws -> Int {
            guard let cents else { throw Away() }
            return cents
        }
    }

    @Test func aServerAnswersWhileItsDatabaseIsAway() async throws {
        let (time, database) = (ManualTicker(), Prices())
        var policy = CachePolicy(freshFor: .seconds(60))
        policy.staleWhileRevalidate = .seconds(600)
        policy.staleIfError = .seconds(3_600)
        let prices = TieredCache<Int, Int>(
            configuration: .init(maximumCount: 100_000, policy: policy),
            stores: [],
            codec: .json,
            clock: time,
            ticker: time
        )
        @Sendable func price() async throws -> Int { try await prices.value(forKey: 7) { _ in try await database.price() } }

        #expect(try await price() == 490)
        await database.set(520)
        time.advance(by: .seconds(120))
        #expect(try await price() == 490, "the older price at once")
        var newer = 490
        while newer == 490 {
            await Task.yield()
            newer = try await price()
        }
        #expect(newer == 520)
        await database.set(nil)
        time.advance(by: .seconds(2_000))
        #expect(try await price() == 520, "the last price, as the query fails")
        time.advance(by: .seconds(3_600))
        await #expect(throws: Prices.Away.self) { try await price() }
        await prices.close()
    }

    // MARK: The page on invalidation

    @Test func memoryIsInvalidated() {
        let shelves = Cache<String, Int>(maximumCount: 1_000)
        shelves.insert(7, forKey: "dune", tags: ["novels"])
        shelves.removeValue(forKey: "dune")
        print(shelves.explain("dune"))  // absent, left because: explicit, seen once lately
        #expect(shelves.explain("dune").description == "absent, left because: explicit, seen once lately")
        shelves.insert(7, forKey: "dune", tags: ["novels"])
        shelves.removeValues(taggedWith: "novels")  // reads only the entries that have the tag
        #expect(shelves.peek("dune") == nil)
        shelves.insert(7, forKey: "dune")
        shelves.removeAll()
        #expect(shelves.peek("dune") == nil)
    }

    @Test func everyTierIsInvalidated() async throws {
        let store = MemoryStore()
        let members = TieredCache<String, User>(configuration: .init(maximumCount: 10, freshFor: .seconds(60)), stores: [store], codec: .json)
        let ada = User(id: "42")
        func isKept() async -> Bool { await members.value(forKey: "42") != nil }

        await members.insert(ada, forKey: "42", tags: ["team-7"], partition: "alice")
        #expect(await isKept())
        await members.removeValue(forKey: "42")
        #expect(await !isKept())
        await members.insert(ada, forKey: "42", tags: ["team-7"], partition: "alice")
        await members.removeValues(taggedWith: "team-7")  // O(1), however many have the tag
        #expect(await !isKept())
        await members.insert(ada, forKey: "42", tags: ["team-7"], partition: "alice")
        await members.removePartition("alice")  // logging out: everything of one user
        #expect(await !isKept())
        await members.insert(ada, forKey: "42", tags: ["team-7"], partition: "alice")
        await members.markStale(taggedWith: "team-7")  // kept, and loaded again before it is used; stands in if that fails
        #expect(try await members.value(forKey: "42") { _ in User(id: "43") } == User(id: "43"))
        print(await members.explain("42"))  // each tier, fresh or stale, and until when
        #expect(await members.explain("42").description.isEmpty == false)
        await members.removeAll()
        #expect(await !isKept())
        await members.close()
    }

    /// A server whose responses have a tag.
    struct News: Transport {
        func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            onInterimResponse: InterimResponseHandler?
        ) async throws(TransportError) -> TransportResponse {
            guard let tagField = HTTPField.Name("Cache-Tag") else { throw TransportError(.failed, "No field.") }
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=300", tagField: "news"]),
                body: HTTPBody("news")
            )
        }
    }

    @Test func responsesAreInvalidated() async throws {
        let client = CachingClient(transport: News())
        /// Whether the response was stored; it is afterwards.
        func wasStored() async throws -> Bool { try await client.get("https://example.com/news").isFromCache }

        #expect(try await !wasStored())
        #expect(try await wasStored())
        await client.cache.remove("https://example.com/news")  // with all of its variants
        #expect(try await !wasStored())
        await client.cache.remove(taggedWith: "news")  // Cache-Tag or Surrogate-Key of the response
        #expect(try await !wasStored())
        await client.cache.remove(prefix: "https://example.com/images/")
        await client.cache.removePartition("alice")
        #expect(try await wasStored())
        await client.cache.markStale("https://example.com/news")  // the origin confirms it before it is used again
        print(await client.cache.explain("https://example.com/news"))  // by which section of which RFC
        #expect(await client.cache.explain("https://example.com/news").description.contains("RFC 9111"))
        #expect(try await !wasStored())
        await client.cache.close()
    }

    // MARK: The tour

    @Test func theTenLinesMakeOneQueryForManyCallers() async throws {
        defer { try? FileManager.default.removeItem(atPath: cacheDirectory) }
        let database = Database()

        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))
        let users = TieredCache<String, User>(
            configuration: .init(maximumCount: 10_000, freshFor: .seconds(300)),
            stores: [disk],
            codec: .json
        )
        // Memory, then disk, then the database; ten thousand callers at once make one query.
        let user = try await users.value(forKey: "42") { id in try await database.user(id) }

        #expect(user == User(id: "42"))
        try await withThrowingTaskGroup(of: User.self) { group in
            for _ in 0..<10_000 {
                group.addTask { try await users.value(forKey: "7") { id in try await database.user(id) } }
            }
            for try await user in group { #expect(user.id == "7") }
        }
        #expect(await database.queryCount == 2)
        await users.close()
    }

    @MainActor @Test(.timeLimit(.minutes(1))) func aScreenFollowsWhatChanges() async throws {
        let database = Database()
        let users = TieredCache<String, User>(configuration: .init(maximumCount: 10, freshFor: .seconds(300)), stores: [], codec: .json)
        let shown = Shared<[User]>([])
        @Sendable func show(_ user: User) { shown.update { $0.append(user) } }

        let reader = Task {
            for await update in users.updates(forKey: "42", load: { id in try await database.user(id) }) {
                if let user = update.value { show(user) }  // update.isLoading and update.error say the rest
            }
        }
        while shown.value.isEmpty { await Task.yield() }
        reader.cancel()
        await reader.value
        // The same for views: an @Observable model, with refreshes when the app comes to the foreground or the network comes back.
        let model = ObservedValue(users, forKey: "42") { id in try await database.user(id) }
        let view = Task {
            await model.run()  // in SwiftUI: .task { await model.run() }
        }

        view.cancel()
        await view.value
        #expect(shown.value == [User(id: "42")])
        #expect(model.value == User(id: "42"))
        #expect(await database.queryCount == 1)
    }

    /// Without a server the database answers.
    @Test func severalProcessesShareOneCache() async throws {
        let (database, token) = (Database(), "t")

        let redis = try RedisStore(connectingTo: RedisConfiguration(url: "redis://cache.internal:6379"))
        let sessions = TieredCache<String, Session>(configuration: .init(maximumCount: 10_000), stores: [redis], codec: .json)
        let session = try await sessions.value(forKey: token) { token in try await database.session(token) }
        await sessions.removeValue(forKey: token)  // returns when Redis has it; other processes drop it from memory a moment later

        #expect(session == Session(token: "t"))
        #expect(sessions.memoryCount == 0)
        await sessions.close()
    }

    /// The guide to Redis.
    @Test func theGuideToRedisDoesWhatItSays() async throws {
        let database = Database()

        let redis = try RedisStore(connectingTo: RedisConfiguration(url: "rediss://cache.internal:6380"))
        let users = TieredCache<String, User>(
            configuration: .init(maximumCount: 10_000, freshFor: .seconds(300)),
            stores: [redis],
            codec: .json
        )
        // Memory, then Redis, then the database.
        let user = try await users.value(forKey: "42") { id in try await database.user(id) }
        // Returns when Redis has it; the memory of every other process drops it a moment later.
        await users.removeValue(forKey: "42")

        #expect(user == User(id: "42"))
        await users.close()
    }

    @Test func aCacheIsSynchronous() {
        let cache = Cache<String, Int>(maximumCount: 1_000, expiration: .afterWrite(.seconds(60)))
        cache["answer"] = 42
        _ = cache.value(forKey: "answer")  // counts as a use; peek(_:) and contains(_:) do not

        #expect(cache.statistics.hits == 1)
        #expect(cache.peek("answer") == 42)
        #expect(cache.statistics.hits == 1)
    }

    struct Book: Codable, Equatable {
        let isbn: String
        let shelf: Int

        func lent() -> Book { Book(isbn: isbn, shelf: 0) }
    }

    /// A library that has every book whose number is even.
    struct Library {
        func book(_ isbn: String) async throws -> Book? { Int(isbn).flatMap { $0.isMultiple(of: 2) ? Book(isbn: isbn, shelf: 7) : nil } }

        func books(_ isbns: [String]) async throws -> [String: Book] {
            var books: [String: Book] = [:]
            for isbn in isbns { books[isbn] = try await book(isbn) }
            return books
        }
    }

    @Test func aCacheCanDoMore() async throws {
        try FileManager.default.createDirectory(atPath: cacheDirectory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: cacheDirectory) }
        let (library, isbn, isbns, path) = (Library(), "2", ["2", "3", "4"], cacheDirectory + "/books")

        let books = Cache<String, Book>(
            configuration: .init(maximumCount: 10_000, expiration: .afterAccess(.seconds(3_600)), refreshAfterWrite: .seconds(60))
        )
        // The loader decides: for how long, under which tags, or that there is none.
        let book = try await books.valueIfExists(forKey: isbn) { request in
            guard let book = try await library.book(request.key) else { return .absent(expiresAfter: .seconds(10)) }
            return .value(book, expiresAfter: .seconds(600), tags: ["shelf-\(book.shelf)"])
        }
        // One call for all that are missing. Other callers that ask meanwhile wait for it.
        let found = try await books.values(forKeys: isbns) { missing in try await library.books(missing) }
        books.removeValues(taggedWith: "shelf-7")
        books.update(forKey: isbn) { $0?.lent() }  // one step; insertIfAbsent and removeValue(forKey:if:) are, too
        books.resize(maximumCount: 20_000)  // while it is in use
        let popular = books.hottest(10)  // and coldest(_:), keys, forEach
        print(books.explain(isbn))  // absent, left because: explicit, seen once lately
        try books.save(to: path)  // atomic, checksummed; restore(from:) puts back what has not expired
        let responder = books.trimOnMemoryPressure()  // on by default in apps, off in servers

        #expect(book == Book(isbn: "2", shelf: 7) && popular.map(\.key) == ["4"])
        #expect(Set(found.keys) == ["2", "4"])
        #expect(books.explain(isbn).description == "absent, left because: explicit, seen once lately")
        #expect(books.peek("4") != nil)
        let copy = Cache<String, Book>(maximumCount: 10)
        #expect(try copy.restore(from: path) == 1)
        responder.cancel()
    }

    /// A transport in place of the network.
    struct NIOTransport: Transport {
        func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            onInterimResponse: InterimResponseHandler?
        ) async throws(TransportError) -> TransportResponse {
            TransportResponse(head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=300"]), body: HTTPBody("page"))
        }
    }

    @Test func aClientSaysWhatItsCacheDid() async throws {
        defer { try? FileManager.default.removeItem(atPath: cacheDirectory) }
        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))

        let client = CachingClient(transport: NIOTransport(), stores: [disk])
        for expected in ["hoard; fwd=uri-miss; fwd-status=200; ttl=300; stored", "hoard; hit; ttl="] {
            let response = try await client.get("https://example.com/")
            print(response.cacheStatus)  // hoard; hit; ttl=270
            #expect(response.cacheStatus.hasPrefix(expected))
        }

        var options = RequestOptions(cacheMode: .forceCache, timeout: .seconds(30))  // the cache modes of the Fetch standard
        options.maximumRedirectCount = 5
        let first = try await client.get("https://example.com/page", options: options)
        #expect(first.staleness == nil)
        await client.cache.flush()
        await client.cache.markStale("https://example.com/page")
        let page = try await client.get("https://example.com/page", options: options)
        if let staleness = page.staleness { print("stale for \(staleness.duration): \(staleness.reason)") }
        #expect(page.staleness?.isStandIn == false)
        print(await client.cache.explain("https://example.com/page"))  // what is stored, what a request would get, and by which section of which RFC
        #expect(await client.cache.explain("https://example.com/page").description.contains("RFC 9111"))
        await client.cache.close()
    }

    /// A server with two screens.
    struct Screens: Transport {
        func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            onInterimResponse: InterimResponseHandler?
        ) async throws(TransportError) -> TransportResponse {
            guard let hashField = HTTPField.Name("beagle-hash") else { throw TransportError(.failed, "No field.") }
            let path = request.path ?? ""
            if request.headerFields[hashField] == path { return TransportResponse(head: HTTPResponse(status: .notModified), body: .empty) }
            let link = #"{"_beagleAction_": "beagle:pushView", "route": {"url": "/next", "shouldPrefetch": true}}"#
            let button = #"{"_beagleComponent_": "beagle:button", "text": "Next", "onPress": [\#(link)]}"#
            return TransportResponse(head: HTTPResponse(status: .ok, headerFields: [hashField: path]), body: HTTPBody(button))
        }
    }

    @Test func screensAreFetchedAheadUpdatedAndForgotten() async throws {
        defer { try? FileManager.default.removeItem(atPath: cacheDirectory) }
        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))
        let client = CachingClient(transport: Screens())
        var shown = 0
        func show(_ screen: FetchedView) { shown += 1 }

        let dependencies = ViewClient.Dependencies(
            urlBuilder: URLBuilder(baseURL: URL(string: "https://example.com/api")),
            client: client,
            cache: CacheManager(store: disk)
        )
        let views = ViewClient(dependencies: dependencies)
        let home = try await views.fetch("/home")
        print(home.component.treeDescription, home.source)
        let links = home.component.routes.filter(\.shouldPrefetch).map { ViewRequest($0.url) }
        #expect(links == ["/next"])
        let report = await views.prefetch(links)  // a fetch joins what is under way; the report says later what was used
        #expect(report.fetchedCount == 1)
        #expect(try await views.fetch("/next").source == .prefetched)
        #expect(report.usedCount == 1)
        for try await screen in views.fetchUpdates("/home") { show(screen) }  // what is kept, at once, then what has changed
        #expect(shown == 1)
        await views.removePartition("alice")  // logging out: memory, disk, HTTP, and whatever is under way
        await disk.close()
    }

    @Test func whatIsNoImageIsAnError() async throws {
        let client = CachingClient(transport: NIOTransport())

        let images = ImageCache(client: client)
        let error = await #expect(throws: ImageError.self) {
            let picture = try await images.image(for: "https://example.com/picture.jpg", options: ImageOptions(maximumPixelSize: 300))
            Issue.record("\(picture) was no image")
        }
        #expect(error?.code == .notAnImage)
    }

    /// A server that knows one token.
    struct Profiles: Transport {
        func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            onInterimResponse: InterimResponseHandler?
        ) async throws(TransportError) -> TransportResponse {
            guard request.headerFields[.authorization] == "Bearer secret" else {
                return TransportResponse(head: HTTPResponse(status: .forbidden), body: HTTPBody("no"))
            }
            return TransportResponse(head: HTTPResponse(status: .ok), body: HTTPBody(#"{"id":"42"}"#))
        }
    }

    @Test(arguments: ["secret", "wrong"])
    func anAppGetsValuesAndErrorsThatCarryTheResponse(token: String) async throws {
        let client = CachingClient(transport: Profiles())
        var code: NetworkError.Code?

        let network = NetworkManager(client: client)
        do {
            let profile = try await network.fetch(NetworkRequest(.get, "https://example.com/me", token: token), as: User.self)
            try await network.fetch(.json(.put, "https://example.com/me", body: profile, token: token))
            #expect(profile == User(id: "42"))
        } catch {
            print(error.code == .accessForbidden, error.response?.body.count ?? 0, "bytes came with the error")
            code = error.code
            #expect(error.response?.body.count == 2)
        }
        #expect(code == (token == "secret" ? nil : .accessForbidden))
    }

    @Test func aSessionOfFoundationsIsAnsweredFromTheCache() async throws {
        defer { try? FileManager.default.removeItem(atPath: cacheDirectory) }
        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=60"]) }
        let url = try #require(URL(string: origin.url))

        let session = URLSession(configuration: .hoard(cache: HTTPCache(stores: [disk])))
        let (data, _) = try await session.data(from: url)

        let again = try await session.data(from: url).0
        #expect(data == Data("hello".utf8))
        #expect(again == data)
        session.finishTasksAndInvalidate()
        await origin.stop()
        #expect(origin.requests.count == 1)
        await disk.close()
    }

    @Test(arguments: ["README.md", "docs/tour.md", "docs/invalidation.md"])
    func everyLineOfTheExamplesIsRunHere(page: String) throws {
        let source = squeezed(try String(contentsOfFile: #filePath, encoding: .utf8))
        let blocks = try Repository.text(page).components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        try #require(blocks.count >= 2)
        for line in blocks.flatMap({ $0.split(separator: "\n") }) where !line.hasPrefix("import ") {
            #expect(source.contains(squeezed(String(line))), "not run: \(line)")
        }
    }

    /// The text without runs of spaces, so that only the words count.
    private func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
