// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@testable import Hoard

extension TieredCacheEvent {
    /// An event as a cache would report it.
    init(_ kind: Kind, store: String, error: (any Error)? = nil) {
        self.init(kind: kind, store: store, description: "Something about \(store).", underlyingError: error)
    }
}
