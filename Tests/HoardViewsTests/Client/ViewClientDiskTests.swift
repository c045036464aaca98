// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import HoardTesting
import Testing

@testable import HoardViews

/// With Hoard's own cache manager and a disk that both kinds of cache share, as apps use it.
@Suite(.timeLimit(.minutes(5))) struct ViewClientDiskTests {
    /// One run of an app.
    private struct Run {
        let store: DiskStore
        let http: HTTPCache
        let cache: CacheManager
        let client: ViewClient

        init(_ directory: String, _ transport: FakeTransport, _ time: ManualTicker) throws {
            store = try DiskStore(configuration: .init(directory: directory, clock: time))
            http = HTTPCache(stores: [store], clock: time, ticker: time)
            cache = CacheManager(store: store, clock: time, ticker: time)
            client = ViewClient(
                dependencies: .init(
                    urlBuilder: URLBuilder(baseURL: URL(string: "http://example.com")),
                    client: CachingClient(transport: transport, cache: http, ticker: time),
                    coder: CountingCoder(),
                    cache: cache
                ),
                clock: time,
                ticker: time
            )
        }

        func end() async {
            await http.flush()
            await cache.saveChanges()
            await http.close()
        }
    }

    private let time = ManualTicker()
    private let origin: ScreenOrigin
    private let transport: FakeTransport
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-views-\(UUID())").path

    init() {
        let origin = ScreenOrigin(clock: time)
        self.origin = origin
        transport = FakeTransport { await origin.answer($0) }
    }

    /// Runs an app on the directory.
    private func run(_ use: (Run) async throws -> Void) async throws {
        let run = try Run(directory, transport, time)
        try await use(run)
        await run.end()
    }

    /// Whether a text stands in any file of the directory.
    private func diskHolds(_ text: String) -> Bool {
        let files = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return files.contains { file in
            FileManager.default.contents(atPath: "\(directory)/\(file)")?.range(of: Data(text.utf8)) != nil
        }
    }

    private func removeDirectory() { try? FileManager.default.removeItem(atPath: directory) }

    @Test func screensAreThereAfterARestartAndAreStillJudgedRightly() async throws {
        defer { removeDirectory() }
        origin["/hash"] = .init(title: "with hash", hash: "7")
        origin["/http"] = .init(title: "without", hash: nil)
        try await run { run in
            for path in ["/hash", "/http"] { _ = try await run.client.fetch(ViewRequest(path)) }
        }
        time.advance(by: .seconds(59))
        try await run { run in
            for path in ["/hash", "/http"] {
                let view = try await run.client.fetch(ViewRequest(path))
                #expect(view.source == .cache)
                #expect(view.age == .seconds(59))
            }
        }
        #expect(transport.requests.count == 2)
        time.advance(by: .seconds(1))
        try await run { run in
            let view = try await run.client.fetch("/hash")
            #expect(view.source == .renewed)
            #expect(transport.requests.last?.head.headerFields[ScreenOrigin.hashField] == "7")
        }
    }

    @Test func screenWithAHashIsStoredOnce() async throws {
        defer { removeDirectory() }
        try await run { run in
            _ = try await run.client.fetch("/home")
            await run.http.flush()
            await run.cache.saveChanges()
            #expect(try await run.store.statistics().count == 1)
            time.advance(by: .seconds(60))
            origin["/home"] = .init(title: "new", hash: "2")
            _ = try await run.client.fetch("/home")
            await run.http.flush()
            await run.cache.saveChanges()
            #expect(try await run.store.statistics().count == 1)
        }
    }

    @Test(arguments: ["hash", nil])
    func loggedOutUserLeavesNoRecordOnTheDisk(hash: String?) async throws {
        defer { removeDirectory() }
        origin["/account"] = .init(title: "balance", hash: hash)
        try await run { run in
            for user in ["u1", "u2"] { _ = try await run.client.fetch(ViewRequest("/account", partition: user)) }
            await run.http.flush()
            await run.cache.saveChanges()
            await run.client.removePartition("u1")
            #expect(try await run.client.fetch(ViewRequest("/account", partition: "u2")).source == .memory)
        }
        origin.fail(with: TransportError(.cannotConnect, "No route."))
        try await run { run in
            _ = try await #require(throws: ViewError.self) { try await run.client.fetch(ViewRequest("/account", partition: "u1")) }
            #expect(try await run.client.fetch(ViewRequest("/account", partition: "u2")).title == "balance")
        }
    }

    @Test(arguments: ["hash", nil])
    func sensitiveScreenNeverReachesTheDisk(hash: String?) async throws {
        defer { removeDirectory() }
        for path in ["/account", "/home"] { origin[path] = .init(title: "Title of \(path)", hash: hash) }
        try await run { run in
            _ = try await run.client.fetch("/home")
            let account = ViewRequest("/account", isSensitive: true)
            _ = try await run.client.fetch(account)
            #expect(try await run.client.fetch(account).source == .memory)
            time.advance(by: .seconds(60))
            _ = try await run.client.fetch(account)
        }
        // Without the first line the second would say nothing.
        #expect(diskHolds("Title of /home"))
        #expect(!diskHolds("Title of /account"))
        origin.fail(with: TransportError(.cannotConnect, "No route."))
        try await run { run in
            _ = try await #require(throws: ViewError.self) { try await run.client.fetch(ViewRequest("/account", isSensitive: true)) }
        }
    }

    @Test(arguments: ["hash", nil])
    func screenThatHasBecomeSensitiveIsNotAnsweredFromTheDisk(hash: String?) async throws {
        defer { removeDirectory() }
        origin["/account"] = .init(title: "balance", hash: hash)
        try await run { run in _ = try await run.client.fetch("/account") }
        try await run { run in
            let view = try await run.client.fetch(ViewRequest("/account", isSensitive: true))
            #expect(view.source == .network)
        }
        origin.fail(with: TransportError(.cannotConnect, "No route."))
        // The copy that was on the disk is gone.
        try await run { run in
            _ = try await #require(throws: ViewError.self) { try await run.client.fetch("/account") }
        }
    }

    @Test func oneHundredScreensThatArePrefetchedAreThereAfterARestart() async throws {
        defer { removeDirectory() }
        let requests = (0..<100).map { ViewRequest("/\($0)") }
        try await run { run in
            #expect(await run.client.prefetch(requests).fetchedCount == 100)
        }
        try await run { run in
            for request in requests {
                let view = try await run.client.fetch(request)
                #expect(view.source == .cache)
            }
        }
        #expect(transport.requests.count == 100)
    }
}
