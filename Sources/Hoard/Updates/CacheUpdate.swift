// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The state of a key at one time, as an observer of a ``TieredCache`` sees it.
///
/// There are four kinds: a value; a value, or none, while a load goes on; an error, with or without a value that stands in; and nothing at all.
public struct CacheUpdate<Value: Sendable>: Sendable {
    /// The newest value and where it came from. `nil`: there is none, or none yet.
    public let lookup: Lookup<Value>?

    /// Whether a load is under way that the observer waits for.
    public let isLoading: Bool

    /// The error of the last load. `nil`: it did not fail, or the key has changed since.
    public let error: (any Error)?

    /// The newest value, fresh or stale.
    public var value: Value? { lookup?.value }

    /// Whether there is a value that was fresh when it was found.
    public var isFresh: Bool { lookup?.isFresh ?? false }

    /// Creates an update, for previews and tests.
    public init(lookup: Lookup<Value>? = nil, isLoading: Bool = false, error: (any Error)? = nil) {
        self.lookup = lookup
        self.isLoading = isLoading
        self.error = error
    }
}
