// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value found by a ``TieredCache``, with its provenance.
public struct Lookup<Value: Sendable>: Sendable {
    /// The value itself.
    public let value: Value

    /// The tier that had the value.
    public let tier: CacheTier

    @usableFromInline package let terms: EntryTerms

    /// The date when the value was loaded or written, or last confirmed by its source.
    public var created: Date { terms.created }

    /// The age of the value when it was found.
    public let age: Duration

    /// The end of the time for which the value is fresh. `nil`: fresh for ever.
    public var freshUntil: Date? { terms.freshUntil }

    /// The validator that a revalidation sends to the source.
    public var validator: String? { terms.validator }

    /// The labels of the value.
    public var tags: Set<String> { terms.tags }

    /// The reason for which a stale value was returned; `nil` if it was fresh when it was found.
    public package(set) var staleReason: StaleReason?

    /// Whether the caller waited for a read or a load that another caller had started.
    public package(set) var isCoalesced = false

    /// The stores that were passed by on the way, nearest first.
    public package(set) var skippedStores: [StoreSkip] = []

    /// Whether the value was fresh when it was found.
    public var isFresh: Bool { staleReason == nil }

    @usableFromInline package init(_ value: Value, terms: EntryTerms, tier: CacheTier, age: Duration, staleReason: StaleReason? = nil) {
        self.value = value
        self.tier = tier
        self.age = max(.zero, age)
        self.staleReason = staleReason
        self.terms = terms
    }
}

/// The reason for which a stale value was returned.
public struct StaleReason: Sendable, CustomStringConvertible {
    /// The kind of a reason. Safe as a metric label.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable { case noLoader, revalidating, loadFailed, loadTimedOut, retryPending }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// The call had no loader.
        public static var noLoader: Self { .init(.noLoader) }
        /// A new value is being loaded in the background (``CachePolicy/staleWhileRevalidate``).
        public static var revalidating: Self { .init(.revalidating) }
        /// Loading a new value has failed (``CachePolicy/staleIfError``).
        public static var loadFailed: Self { .init(.loadFailed) }
        /// Loading a new value takes longer than ``CachePolicy/softTimeout`` or ``CachePolicy/hardTimeout``. The load goes on.
        public static var loadTimedOut: Self { .init(.loadTimedOut) }
        /// A load has failed, and the source is left alone for ``CachePolicy/retryAfterFailure``, or for as long as its loader has said.
        public static var retryPending: Self { .init(.retryPending) }

        public var description: String { base.rawValue }
    }

    /// The kind of reason.
    public let kind: Kind

    /// The error that the loader threw, for ``Kind/loadFailed``.
    public let error: (any Error)?

    @usableFromInline init(_ kind: Kind, error: (any Error)? = nil) {
        self.kind = kind
        self.error = error
    }

    public var description: String { kind.description }
}
