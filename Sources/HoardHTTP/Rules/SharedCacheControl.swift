// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Directives that many responses have in common.
final class SharedCacheControl: Sendable {
    let value: CacheControl

    private init(_ value: CacheControl) {
        self.value = value
    }

    /// The most directives that are remembered.
    private static let maximumCount = 256

    private static let known = Mutex<[CacheControl: SharedCacheControl]>([:])

    /// An object for directives, shared with others if they are known.
    static func of(_ value: CacheControl) -> SharedCacheControl {
        known.withLock { known in
            if let shared = known[value] { return shared }
            // Those that are in use stay with their responses.
            if known.count >= maximumCount { known.removeAll(keepingCapacity: true) }
            let new = SharedCacheControl(value)
            known[value] = new
            return new
        }
    }
}

extension SharedCacheControl: Hashable {
    static func == (left: SharedCacheControl, right: SharedCacheControl) -> Bool { left === right || left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
