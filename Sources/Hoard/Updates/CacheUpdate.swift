// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The state of a key, as an observer of a ``TieredCache`` sees it.
///
/// There are four kinds of states: a value; a load under way, with or without an older value; an error, with or without a stale value; and no
/// value.
public struct CacheUpdate<Value: Sendable>: Sendable {
    /// The newest value and where it came from. `nil`: there is none, or none yet.
    public let lookup: Lookup<Value>?

    /// Whether the observer waits for a load.
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
