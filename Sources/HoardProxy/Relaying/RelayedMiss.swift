// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
internal import Synchronization

/// A miss that was sent to the origin by its bytes, and that is answered in the ordinary way from here on.
final class RelayedMiss: Sendable {
    let route: ProxyRoute
    let miss: HTTPCache.EarlyMiss
    let request: RelayedRequest
    private let cache: HTTPCache
    private let isOver = Atomic(false)

    init(_ miss: HTTPCache.EarlyMiss, _ request: RelayedRequest, on route: ProxyRoute, cache: HTTPCache) {
        self.miss = miss
        self.request = request
        self.route = route
        self.cache = cache
    }

    deinit {
        forget()
    }

    /// Whether it is the caller's to answer it: the first time only.
    func take() -> Bool { !isOver.exchange(true, ordering: .relaxed) }

    /// The request gets another answer. The origin's response is dropped.
    func forget() {
        guard take() else { return }
        cache.forget(miss)
        guard let sent = request.take() else { return }
        let group = route.group
        startTask { await group.drop(sent) }
    }
}
