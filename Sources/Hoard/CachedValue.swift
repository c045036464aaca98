// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value as a ``TieredCache`` keeps it: with its dates, tags and validator.
public struct CachedValue<Value: Sendable>: Sendable {
    /// The value itself.
    public var value: Value

    @usableFromInline package var terms: EntryTerms

    /// Creates a value with its terms, for loaders and their tests.
    public init(
        _ value: Value,
        created: Date,
        freshUntil: Date? = nil,
        staleUntil: Record.StaleUntil = .whenNoLongerFresh,
        tags: Set<String> = [],
        partition: String? = nil,
        validator: String? = nil
    ) {
        self.value = value
        terms = EntryTerms(created: created, freshUntil: freshUntil, staleUntil: staleUntil.date(freshUntil: freshUntil))
        terms.tags = tags
        terms.partition = partition
        terms.validator = validator
    }

    @inlinable init(_ value: Value, terms: EntryTerms) {
        self.value = value
        self.terms = terms
    }

    /// The date when the value was loaded or written, or last confirmed by its source. Promotion to another tier keeps it.
    public var created: Date { terms.created }

    /// The end of the time for which the value is fresh. `nil`: fresh for ever.
    public var freshUntil: Date? { terms.freshUntil }

    /// The end of the time for which the value is kept, fresh or stale. `nil`: kept for ever. Never before ``freshUntil``.
    public var staleUntil: Date? { terms.staleUntil }

    /// The time after ``freshUntil`` for which readers may get the value while it is loaded again.
    public var staleWhileRevalidate: Duration {
        get { terms.staleWhileRevalidate }
        set { terms.staleWhileRevalidate = newValue }
    }

    /// The time after ``freshUntil`` for which readers may get the value because a new one cannot be loaded.
    public var staleIfError: Duration {
        get { terms.staleIfError }
        set { terms.staleIfError = newValue }
    }

    /// Labels by which groups of values are removed or marked stale.
    public var tags: Set<String> { terms.tags }

    /// The group that owns the value. All values of a partition can be removed together. `nil`: none.
    public var partition: String? { terms.partition }

    /// The validator that a revalidation sends to the source.
    public var validator: String? { terms.validator }
}
