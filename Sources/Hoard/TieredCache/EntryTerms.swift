// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The terms of a value: when it was made, how long it may be used, and its tags, partition and validator.
@usableFromInline package struct EntryTerms: Sendable, Hashable {
    @usableFromInline package var created: Date
    /// `nil`: fresh for ever.
    @usableFromInline package var freshUntil: Date? {
        get { freshEnd.date }
        set { freshEnd = End(newValue) }
    }
    /// `nil`: kept for ever. Never before ``freshUntil``.
    package var staleUntil: Date? {
        get { staleEnd.date }
        set { staleEnd = End(newValue) }
    }
    @usableFromInline package var tags: Set<String> = []

    package var validator: String? {
        get { rare.validator }
        set { rare.validator = newValue }
    }
    package var staleWhileRevalidate: Duration {
        get { rare.staleWhileRevalidate }
        set { rare.staleWhileRevalidate = newValue }
    }
    package var staleIfError: Duration {
        get { rare.staleIfError }
        set { rare.staleIfError = newValue }
    }
    package var loadDuration: Duration? {
        get { rare.loadDuration }
        set { rare.loadDuration = newValue }
    }
    /// The group that owns the value; `nil`: none.
    package var partition: String? {
        get { rare.partition }
        set { rare.partition = newValue }
    }

    private var freshEnd = End(nil)
    private var staleEnd = End(nil)

    /// An optional date in 8 bytes. `Date?` takes 16, and every entry in memory has two of them.
    private struct End: Sendable, Hashable {
        private let bits: UInt64

        /// The bits that stand for no date. They are those of a NaN.
        private static let none = UInt64.max

        init(_ date: Date?) { bits = date?.timeIntervalSinceReferenceDate.bitPattern ?? Self.none }

        var date: Date? { bits == Self.none ? nil : Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)) }
    }

    /// Terms that few values have. They are kept apart to save memory, as every entry has terms.
    private struct Rare: Sendable, Hashable {
        var staleWhileRevalidate = Duration.zero
        var staleIfError = Duration.zero
        var loadDuration: Duration?
        var partition: String?
        var validator: String?
    }

    private final class RareBox: Sendable, Hashable {
        let rare: Rare
        init(_ rare: Rare) { self.rare = rare }
        static func == (left: RareBox, right: RareBox) -> Bool { left === right || left.rare == right.rare }
        func hash(into hasher: inout Hasher) { hasher.combine(rare) }
    }

    /// `nil` if the value has none of the rare terms.
    private var rareBox: RareBox?

    private var rare: Rare {
        get { rareBox?.rare ?? Rare() }
        set { rareBox = newValue == Rare() ? nil : RareBox(newValue) }
    }

    package init(created: Date, freshUntil: Date?, staleUntil: Date?) {
        self.created = created
        self.freshUntil = freshUntil
        self.staleUntil = staleUntil
    }

    /// Creates the terms that a policy gives from `now` on.
    ///
    /// - Parameter random: The share of the jitter to add, from 0 to 1.
    init(policy: CachePolicy, now: Date, random: Double) {
        created = now
        if let freshFor = policy.freshFor {
            var end = now.advanced(by: max(.zero, freshFor))
            if policy.jitter > .zero { end = end.advanced(by: policy.jitter * random) }
            freshUntil = end
            staleUntil = end.advanced(by: policy.keptStaleFor)
        }
        staleWhileRevalidate = max(.zero, policy.staleWhileRevalidate)
        staleIfError = max(.zero, policy.staleIfError)
    }

    /// Creates the terms of a record.
    init(_ record: Record, tags: Set<String>, partition: String?) {
        created = record.created
        freshUntil = record.freshUntil
        staleUntil = record.staleUntil
        staleWhileRevalidate = record.staleWhileRevalidate
        staleIfError = record.staleIfError
        loadDuration = record.loadDuration
        self.tags = tags
        self.partition = partition
        validator = record.validator
    }
}

extension EntryTerms {
    /// The time from a date until the value is dropped; `nil`: kept for ever.
    @usableFromInline func keptFor(from date: Date) -> Duration? { staleUntil.map { date.duration(to: $0) } }

    /// The labels by which the value can be invalidated in memory, and fenced: its tags, and a label for its partition.
    @usableFromInline package var labels: Set<String> {
        partition.map { tags.union(CollectionOfOne(Self.label(ofPartition: $0))) } ?? tags
    }

    /// Whether there are any ``labels``.
    @usableFromInline var hasLabels: Bool { partition != nil || !tags.isEmpty }

    /// The label of a partition's values. A user's tag of the same form would do no harm: an invalidation would only remove more values.
    package static func label(ofPartition partition: String) -> String { "\u{0}\u{0}" + ExactText(partition).label }
}

extension CachePolicy {
    /// The time for which values are kept once they are stale.
    var keptStaleFor: Duration { max(.zero, staleFor, staleWhileRevalidate, staleIfError) }
}

extension Date {
    /// The date after `duration`. Beyond the range of dates, the last or the first date.
    func advanced(by duration: Duration) -> Date {
        let (seconds, attoseconds) = duration.saturatingComponents
        return addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// The time from this date to `end`; negative if `end` is earlier. Saturates at about 292 years.
    @usableFromInline func duration(to end: Date) -> Duration {
        let seconds = end.timeIntervalSince(self)
        guard abs(seconds) < 9_000_000_000 else { return .nanoseconds(seconds > 0 ? Int64.max : .min) }
        return .nanoseconds(Int64(seconds * 1e9))
    }
}
