// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value as a ``TieredCache`` keeps it: with its dates, tags and validator.
public struct CachedValue<Value: Sendable>: Sendable {
    public var value: Value

    /// When the value was made. Promotion to another tier keeps it.
    public var created: Date

    /// Until when the value may be used without asking its source. `nil`: for ever.
    public var freshUntil: Date?

    /// Until when the value is kept, fresh or stale. `nil`: for ever. Never before ``freshUntil``.
    public var staleUntil: Date?

    /// Labels of the records made of this value in the stores.
    public var tags: Set<String>

    /// What a revalidation would send to the source.
    public var validator: String?

    public init(
        _ value: Value,
        created: Date,
        freshUntil: Date? = nil,
        staleUntil: Record.StaleUntil = .whenNoLongerFresh,
        tags: Set<String> = [],
        validator: String? = nil
    ) {
        self.value = value
        self.created = created
        self.freshUntil = freshUntil
        self.staleUntil = staleUntil.date(freshUntil: freshUntil)
        self.tags = tags
        self.validator = validator
    }
}
