// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import HoardTestingServer
import HoardTransports
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The examples of `docs/guides/from-urlcache.md`, run.
@Suite(.timeLimit(.minutes(1))) struct FromURLCacheGuideExamples {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-guide-\(UUID().uuidString)")

    private func origin() async throws -> (FakeOrigin, URL) {
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=60"]) }
        return (origin, try #require(URL(string: origin.url + "/news")))
    }

    @Test func after() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let (origin, url) = try await origin()

        let disk = try DiskStore(configuration: .init(directory: directory.path, maximumBytes: 256 << 20))
        let cache = HTTPCache(stores: [disk])
        let session = URLSession(configuration: .hoard(cache: cache))
        let (data, response) = try await session.data(from: url)
        let status = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Cache-Status")

        #expect(data == Data("hello".utf8))
        #expect(status?.hasPrefix("hoard; fwd=uri-miss") == true)
        let (_, again) = try await session.data(from: url)
        #expect((again as? HTTPURLResponse)?.value(forHTTPHeaderField: "Cache-Status")?.hasPrefix("hoard; hit") == true)
        #expect(origin.requests.count == 1)

        var request = URLRequest(url: url)
        request.cachePolicy = .returnCacheDataDontLoad
        let (stored, _) = try await session.data(for: request)
        #expect(stored == data)

        print(await cache.explain(url.absoluteString))  // what is stored, what a request would get, and by which section of which RFC
        await cache.markStale(url.absoluteString)  // the next request asks the origin whether it has changed
        await cache.remove(url.absoluteString)
        await cache.removeAll()

        #expect(await cache.explain(url.absoluteString).stored == nil)
        session.finishTasksAndInvalidate()
        await origin.stop()
        #expect(origin.requests.count == 1)
        await cache.close()
    }

    @Test func withoutASession() async throws {
        let (origin, url) = try await origin()
        let cache = HTTPCache()

        let client = CachingClient(transport: URLSessionTransport(), cache: cache)
        let page = try await client.get(url.absoluteString)
        print(page.isFromCache, page.cacheStatus)
        let kept = try await client.get(url.absoluteString, options: RequestOptions(cacheMode: .forceCache))
        var options = RequestOptions()
        options.partition = "alice"  // her responses answer no one else, and leave together
        _ = try await client.get(url.absoluteString, options: options)
        await cache.removePartition("alice")

        #expect(!page.isFromCache && kept.isFromCache)
        await origin.stop()
        #expect(origin.requests.count == 2)
        await cache.close()
    }

    @Test func aResponseIsPutIntoTheCacheByHand() async throws {
        let responses = ResponseCache(lifetimeIfUnknown: .seconds(300))
        let request = NetworkRequest(.get, "https://example.com/news")
        await responses.store(NetworkResponse(status: .ok, headers: [:], body: Data("hello".utf8), url: request.url), for: request)
        let kept = await responses.fetch(request)

        #expect(kept?.body == Data("hello".utf8))
        await responses.removeAll()
        #expect(await responses.fetch(request) == nil)
    }
}
