// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import HoardImages
import HoardModels
import HoardTesting
import Observation
import Testing

/// The code files of the tutorial about photos that compile without SwiftUI, a namespace for each state of the app.
enum PhotoTutorial {
    /// Pages in memory.
    enum Memory {
        struct Photo: Codable, Hashable, Identifiable, Sendable {
            let id: Int
            let title: String
            let url: String
        }

        struct PhotoServer: Sendable {
            let network: NetworkManager

            func photos(after id: Int?) async throws -> CachedPage<Photo, Int> {
                let query: [NetworkRequest.QueryItem] = id.map { [.init("after", String($0))] } ?? []
                let request = NetworkRequest(.get, "https://photos.example/photos", queryItems: query)
                return try await network.fetch(request, as: CachedPage<Photo, Int>.self)
            }
        }

        @MainActor @Observable final class PhotoLibrary {
            private let pages: ObservedPages<String, Photo, Int>

            init(transport: any Transport) {
                let client = CachingClient(transport: transport)
                let server = PhotoServer(network: NetworkManager(client: client))
                let cache = TieredCache<String, CachedPage<Photo, Int>>(
                    configuration: .init(maximumCount: 100, freshFor: .seconds(60)),
                    stores: [],
                    codec: .json
                )
                pages = ObservedPages(cache, key: { $0.map { "after \($0)" } ?? "first" }) { id in try await server.photos(after: id) }
            }
        }
    }

    /// The part that the view needs.
    enum View {
        struct Photo: Codable, Hashable, Identifiable, Sendable {
            let id: Int
            let title: String
            let url: String
        }

        struct PhotoServer: Sendable {
            let network: NetworkManager

            func photos(after id: Int?) async throws -> CachedPage<Photo, Int> {
                let query: [NetworkRequest.QueryItem] = id.map { [.init("after", String($0))] } ?? []
                let request = NetworkRequest(.get, "https://photos.example/photos", queryItems: query)
                return try await network.fetch(request, as: CachedPage<Photo, Int>.self)
            }
        }

        @MainActor @Observable final class PhotoLibrary {
            private let pages: ObservedPages<String, Photo, Int>

            init(transport: any Transport) {
                let client = CachingClient(transport: transport)
                let server = PhotoServer(network: NetworkManager(client: client))
                let cache = TieredCache<String, CachedPage<Photo, Int>>(
                    configuration: .init(maximumCount: 100, freshFor: .seconds(60)),
                    stores: [],
                    codec: .json
                )
                pages = ObservedPages(cache, key: { $0.map { "after \($0)" } ?? "first" }) { id in try await server.photos(after: id) }
            }

            var photos: [Photo] { pages.items }
            var isLoading: Bool { pages.isLoading }
            var error: (any Error)? { pages.error }

            /// Wants the next page when the end of the list comes into sight.
            func photoAppeared(_ photo: Photo) {
                if photo.id == pages.items.last?.id { pages.loadMore() }
            }

            func refresh() async { await pages.refresh() }

            /// Follows the cache until the caller's task is cancelled.
            func run() async { await pages.run() }
        }
    }

    /// A disk below the memory.
    enum Disk {
        struct Photo: Codable, Hashable, Identifiable, Sendable {
            let id: Int
            let title: String
            let url: String
        }

        struct PhotoServer: Sendable {
            let network: NetworkManager

            func photos(after id: Int?) async throws -> CachedPage<Photo, Int> {
                let query: [NetworkRequest.QueryItem] = id.map { [.init("after", String($0))] } ?? []
                let request = NetworkRequest(.get, "https://photos.example/photos", queryItems: query)
                return try await network.fetch(request, as: CachedPage<Photo, Int>.self)
            }
        }

        @MainActor @Observable final class PhotoLibrary {
            private let pages: ObservedPages<String, Photo, Int>
            private let stores: StoreStack

            init(directory: String, transport: any Transport) throws {
                let disk = try DiskStore(configuration: .init(directory: directory))
                stores = StoreStack([disk])
                let client = CachingClient(transport: transport)
                let server = PhotoServer(network: NetworkManager(client: client))
                let cache = TieredCache<String, CachedPage<Photo, Int>>(
                    name: "pages",
                    configuration: .init(maximumCount: 100, freshFor: .seconds(60)),
                    stores: stores,
                    codec: .json(schema: "photos/1")
                )
                pages = ObservedPages(cache, key: { $0.map { "after \($0)" } ?? "first" }) { id in try await server.photos(after: id) }
            }

            var photos: [Photo] { pages.items }
            var isLoading: Bool { pages.isLoading }
            var error: (any Error)? { pages.error }

            /// Wants the next page when the end of the list comes into sight.
            func photoAppeared(_ photo: Photo) {
                if photo.id == pages.items.last?.id { pages.loadMore() }
            }

            func refresh() async { await pages.refresh() }

            /// Follows the cache until the caller's task is cancelled.
            func run() async { await pages.run() }

            func close() async { await stores.close() }
        }
    }

    /// Old pages stand in.
    enum Policy {
        struct Photo: Codable, Hashable, Identifiable, Sendable {
            let id: Int
            let title: String
            let url: String
        }

        struct PhotoServer: Sendable {
            let network: NetworkManager

            func photos(after id: Int?) async throws -> CachedPage<Photo, Int> {
                let query: [NetworkRequest.QueryItem] = id.map { [.init("after", String($0))] } ?? []
                let request = NetworkRequest(.get, "https://photos.example/photos", queryItems: query)
                return try await network.fetch(request, as: CachedPage<Photo, Int>.self)
            }
        }

        @MainActor @Observable final class PhotoLibrary {
            private let pages: ObservedPages<String, Photo, Int>
            private let stores: StoreStack

            init(directory: String, transport: any Transport) throws {
                let disk = try DiskStore(configuration: .init(directory: directory))
                stores = StoreStack([disk])
                let client = CachingClient(transport: transport)
                let server = PhotoServer(network: NetworkManager(client: client))
                var policy = CachePolicy(freshFor: .seconds(60))
                policy.staleIfError = .seconds(30 * 86_400)
                policy.softTimeout = .seconds(2)
                let cache = TieredCache<String, CachedPage<Photo, Int>>(
                    name: "pages",
                    configuration: .init(maximumCount: 100, policy: policy),
                    stores: stores,
                    codec: .json(schema: "photos/1")
                )
                pages = ObservedPages(cache, key: { $0.map { "after \($0)" } ?? "first" }) { id in try await server.photos(after: id) }
            }

            var photos: [Photo] { pages.items }
            var isLoading: Bool { pages.isLoading }
            var error: (any Error)? { pages.error }

            /// Wants the next page when the end of the list comes into sight.
            func photoAppeared(_ photo: Photo) {
                if photo.id == pages.items.last?.id { pages.loadMore() }
            }

            func refresh() async { await pages.refresh() }

            /// Follows the cache until the caller's task is cancelled.
            func run() async { await pages.run() }

            func close() async { await stores.close() }
        }
    }

    /// Images, and the test.
    enum Images {
        struct Photo: Codable, Hashable, Identifiable, Sendable {
            let id: Int
            let title: String
            let url: String
        }

        struct PhotoServer: Sendable {
            let network: NetworkManager

            func photos(after id: Int?) async throws -> CachedPage<Photo, Int> {
                let query: [NetworkRequest.QueryItem] = id.map { [.init("after", String($0))] } ?? []
                let request = NetworkRequest(.get, "https://photos.example/photos", queryItems: query)
                return try await network.fetch(request, as: CachedPage<Photo, Int>.self)
            }
        }

        @MainActor @Observable final class PhotoLibrary {
            let images: ImageCache
            private let pages: ObservedPages<String, Photo, Int>
            private let stores: StoreStack

            init(
                directory: String,
                transport: any Transport,
                clock: any WallClock = SystemWallClock(),
                ticker: any Ticker = MonotonicTicker()
            ) throws {
                let disk = try DiskStore(configuration: .init(directory: directory, clock: clock))
                stores = StoreStack([disk], ticker: ticker)
                let httpCache = HTTPCache(stores: [disk], clock: clock, ticker: ticker)
                let client = CachingClient(transport: transport, cache: httpCache, ticker: ticker)
                images = ImageCache(client: client, clock: clock, ticker: ticker)
                let server = PhotoServer(network: NetworkManager(client: client))
                var policy = CachePolicy(freshFor: .seconds(60))
                policy.staleIfError = .seconds(30 * 86_400)
                policy.softTimeout = .seconds(2)
                let cache = TieredCache<String, CachedPage<Photo, Int>>(
                    name: "pages",
                    configuration: .init(maximumCount: 100, policy: policy),
                    stores: stores,
                    codec: .json(schema: "photos/1"),
                    clock: clock,
                    ticker: ticker
                )
                pages = ObservedPages(cache, key: { $0.map { "after \($0)" } ?? "first" }, ticker: ticker) { id in try await server.photos(after: id)
                }
            }

            var photos: [Photo] { pages.items }
            var isLoading: Bool { pages.isLoading }
            var error: (any Error)? { pages.error }

            /// Wants the next page when the end of the list comes into sight.
            func photoAppeared(_ photo: Photo) {
                if photo.id == pages.items.last?.id { pages.loadMore() }
            }

            func refresh() async { await pages.refresh() }

            /// Follows the cache until the caller's task is cancelled.
            func run() async { await pages.run() }

            func close() async { await stores.close() }
        }

        @Suite(.timeLimit(.minutes(1))) struct PhotoLibraryTests {
            @MainActor @Test func photosAreThereWithoutANetwork() async throws {
                let directory = FileManager.default.temporaryDirectory.appendingPathComponent("photos-\(UUID().uuidString)").path
                defer { try? FileManager.default.removeItem(atPath: directory) }
                let time = ManualTicker()
                let network = FakeTransport { _ in .text(#"{"items": [{"id": 1, "title": "Tea", "url": "https://photos.example/1.png"}]}"#) }
                let library = try PhotoLibrary(directory: directory, transport: network, clock: time, ticker: time)
                let view = Task { await library.run() }
                while library.photos.isEmpty { await Task.yield() }
                view.cancel()
                await view.value
                await library.close()

                time.advance(by: .seconds(86_400))
                let noNetwork = FakeTransport(failingWith: TransportError(.failed, "There is no network."))
                let restarted = try PhotoLibrary(directory: directory, transport: noNetwork, clock: time, ticker: time)
                let viewAgain = Task { await restarted.run() }
                while restarted.photos.isEmpty { await Task.yield() }
                viewAgain.cancel()
                await viewAgain.value
                #expect(restarted.photos.map(\.title) == ["Tea"])
                await restarted.close()
            }
        }
    }
}
