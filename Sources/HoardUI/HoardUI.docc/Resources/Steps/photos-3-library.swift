// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardHTTP
import HoardModels
import Observation

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
