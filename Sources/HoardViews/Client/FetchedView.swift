// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A screen, and where it came from.
public struct FetchedView: Sendable {
    /// Where a screen came from.
    public struct Source: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable { case memory, cache, network, renewed, prefetched }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// It was kept, and had been decoded before.
        public static var memory: Self { .init(.memory) }
        /// It was kept, as bytes.
        public static var cache: Self { .init(.cache) }
        /// The server sent it.
        public static var network: Self { .init(.network) }
        /// It was kept, and the server has confirmed it.
        public static var renewed: Self { .init(.renewed) }
        /// A prefetch had fetched it.
        public static var prefetched: Self { .init(.prefetched) }

        public var description: String { base.rawValue }
    }

    /// How old a screen is that is not valid any more, and why it is shown all the same.
    public struct Staleness: Hashable, Sendable {
        /// The time since the server made it or last confirmed it, in whole seconds.
        public let age: Duration
        /// Whether the server was asked, and gave no usable answer: the screen stands in for one. Else a newer one may follow.
        public let isStandIn: Bool
        /// The rule that allows the screen to be shown, in one sentence.
        public let reason: String

        /// Creates a description, for previews and tests.
        public init(age: Duration, isStandIn: Bool, reason: String) {
            self.age = age
            self.isStandIn = isStandIn
            self.reason = reason
        }
    }

    /// The screen, or any other component that the server sent.
    public let component: any ServerDrivenComponent
    /// Where the screen came from.
    public let source: Source
    /// `nil` if the screen is valid.
    public let staleness: Staleness?
    /// The server's name for this state of the screen; `nil` if it gives none.
    public let hash: String?
    /// The URL that was asked for, in its normal form.
    public let url: String
    /// When the server made the screen or last confirmed it, as far as its response says; `nil` if that is unknown.
    public let timeOfCreation: Date?
    /// The time between ``timeOfCreation`` and the fetch, in whole seconds.
    public let age: Duration?
    /// The bytes that the component was decoded from. They tell whether two views are the same state.
    let content: Data

    /// Public for the sake of fakes.
    public init(
        component: any ServerDrivenComponent,
        source: Source,
        staleness: Staleness? = nil,
        hash: String? = nil,
        url: String,
        timeOfCreation: Date? = nil,
        age: Duration? = nil
    ) {
        self.init(component, source, staleness, hash: hash, url: url, timeOfCreation: timeOfCreation, age: age, content: Data())
    }

    private init(
        _ component: any ServerDrivenComponent,
        _ source: Source,
        _ staleness: Staleness?,
        hash: String?,
        url: String,
        timeOfCreation: Date?,
        age: Duration?,
        content: Data
    ) {
        self.component = component
        self.source = source
        self.staleness = staleness
        self.hash = hash
        self.url = url
        self.timeOfCreation = timeOfCreation
        self.age = age
        self.content = content
    }

    init(
        component: any ServerDrivenComponent,
        source: Source,
        staleness: Staleness?,
        hash: String?,
        url: String,
        created: Date,
        now: Date,
        content: Data
    ) {
        self.init(component, source, staleness, hash: hash, url: url, timeOfCreation: created, age: created.age(at: now), content: content)
    }
}

extension FetchedView {
    /// Whether both were decoded from the same bytes, so that showing one in place of the other changes nothing. O(*n*) in their number at most.
    ///
    /// Views that an app has made itself have no bytes; of these, hashes are compared.
    public func isSameState(as other: FetchedView) -> Bool {
        if content.isEmpty, other.content.isEmpty { return hash != nil && hash == other.hash }
        return content == other.content
    }

    /// The same as a prefetch has brought it, fetched later.
    func prefetched(at now: Date) -> FetchedView {
        let age = timeOfCreation.map { $0.age(at: now) }
        return FetchedView(component, .prefetched, staleness, hash: hash, url: url, timeOfCreation: timeOfCreation, age: age, content: content)
    }
}

extension Date {
    /// The time that has passed since, in whole seconds; zero if the date is to come.
    func age(at now: Date) -> Duration {
        .seconds(Int64(exactly: max(0, min(now.timeIntervalSince(self), TimeInterval(Int32.max))).rounded(.down)) ?? 0)
    }
}
