// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value found by a ``TieredCache``, and where it came from.
public struct Lookup<Value: Sendable>: Sendable {
    public let value: Value

    /// The tier that had the value.
    public let tier: CacheTier

    /// When the value was made.
    public let created: Date

    /// Until when the value is fresh. `nil`: for ever.
    public let freshUntil: Date?

    /// What a revalidation would send to the source.
    public let validator: String?

    /// Whether the value was fresh when it was found. A value that is not fresh is a stale hit.
    public let isFresh: Bool

    /// Whether the caller waited for a read or a load that another caller had started.
    public package(set) var isCoalesced = false

    package init(_ cached: CachedValue<Value>, tier: CacheTier, isFresh: Bool) {
        self.value = cached.value
        self.tier = tier
        self.created = cached.created
        self.freshUntil = cached.freshUntil
        self.validator = cached.validator
        self.isFresh = isFresh
    }
}
