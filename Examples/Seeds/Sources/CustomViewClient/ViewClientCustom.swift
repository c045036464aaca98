// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardViews

/// The tutorial's `ViewClientCustom`: a cache of components before a network client, a URL builder and a coder.
///
/// It differs in this: it decodes a screen once, kept screens have a lifetime, and a fetch of a screen that is
/// being prefetched waits for it. The last two come with `Cache`.
final class ViewClientCustom: ViewClientProtocol {
    private let networkClient: (any NetworkManaging)?
    private let urlBuilder: any URLBuilding
    private let coder: any ComponentCoding
    private let cacheManager: Cache<URL, FetchedView>

    init(networkClient: (any NetworkManaging)?, urlBuilder: any URLBuilding, coder: any ComponentCoding, ticker: any Ticker) {
        self.networkClient = networkClient
        self.urlBuilder = urlBuilder
        self.coder = coder
        cacheManager = Cache(maximumCount: 50, expiration: .afterWrite(.seconds(300)), ticker: ticker)
    }

    func fetch(_ request: ViewRequest) async throws(ViewError) -> FetchedView {
        guard let url = urlBuilder.build(path: request.path) else {
            throw ViewError(.urlBuilder, "The path gives no URL that may be asked for.")
        }
        guard let networkClient else {
            throw ViewError(.networkClientNotConfigured, "There is no client to ask the server with.")
        }
        do {
            return try await cacheManager.value(forKey: url) { [coder] url in
                let response = try await networkClient.fetch(NetworkRequest(.get, url.absoluteString))
                return FetchedView(component: try coder.decode(response.body), source: .network, url: response.url)
            }
        } catch {
            throw ViewError(wrapping: error)
        }
    }

    func prefetch(_ request: ViewRequest, options _: PrefetchOptions) async throws(ViewError) -> Prefetch {
        Prefetch(url: try await fetch(request).url, outcome: .fetched)
    }
}

extension ViewError {
    fileprivate init(wrapping error: any Error) {
        switch error {
        case let error as ViewError: self = error
        case let error as ComponentCodingError: self.init(.decoding, error.message, codingError: error)
        case let error as NetworkError: self.init(.network, error.message, statusCode: error.response?.status.code)
        case is CancellationError: self.init(.cancelled, "The request was cancelled.")
        default: self.init(.network, "The screen could not be fetched.")
        }
    }
}
