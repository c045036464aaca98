// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How long values are used, what stands in for them when their source is slow or fails, and which tiers take part.
///
/// A cache has one policy (``TieredCache/Configuration/policy``); a call may bring another one for itself, and a loader's result one for
/// its value. The times that belong to a value are fixed when it is written. A reader that brings a policy of its own uses that one's
/// ``staleWhileRevalidate`` and ``staleIfError`` instead, within the time for which the value is kept.
///
/// ```swift
/// var policy = CachePolicy(freshFor: .seconds(60))
/// policy.staleWhileRevalidate = .seconds(30)
/// policy.staleIfError = .seconds(3_600)
/// policy.softTimeout = .milliseconds(100)
/// ```
///
/// Negative durations count as zero, so that one that was computed may come out too small. ``validate()`` says what does not go together.
public struct CachePolicy: Sendable, Hashable {
    /// How long a value is fresh, counted from the end of its load. `nil`: for ever. Default: `nil`.
    public var freshFor: Duration?

    /// How long after that readers get the stale value at once, while it is loaded again in the background (RFC 5861 §3). Default: zero.
    public var staleWhileRevalidate: Duration = .zero

    /// How long after ``freshFor`` a stale value may be returned because loading a new one has failed or takes too long
    /// (RFC 5861 §4; "fail-safe"). Default: zero.
    public var staleIfError: Duration = .zero

    /// How long a stale value is kept at least, so that a loader can revalidate it and ``TieredCache/lookup(forKey:policy:)`` can show it. Default: zero.
    ///
    /// A value is kept for the longest of this, ``staleWhileRevalidate`` and ``staleIfError``.
    public var staleFor: Duration = .zero

    /// After a load that failed, for how long a stale value is returned without trying again. Default: 30 seconds.
    ///
    /// As long as there is a stale value to return, the source of a key is asked no more often than this.
    public var retryAfterFailure: Duration = .seconds(30)

    /// When a value that is still fresh is loaded again in the background. Default: ``EarlyRefresh/never``.
    public var earlyRefresh: EarlyRefresh = .never

    /// Up to this much, chosen at random for each value, is added to ``freshFor``, so that values written together do not end together. Default: zero.
    public var jitter: Duration = .zero

    /// How long the cache remembers that a loader found no value. Zero: not at all. Default: zero.
    public var negativeFor: Duration = .zero

    /// How long a caller that could have a stale value by ``staleIfError`` waits for a load. Then it gets that; the load goes on, and its result is kept.
    /// `nil`: no limit. Default: `nil`.
    public var softTimeout: Duration?

    /// How long a caller waits for a load at all. Then it gets a stale value, if there is one, or ``CacheError/Code/timedOut``; the load goes on, and its
    /// result is kept. `nil`: no limit. Default: `nil`.
    ///
    /// Callers that come meanwhile join that load. A loader that may never return needs a timeout of its own, or no caller gets its key's value
    /// any more.
    public var hardTimeout: Duration?

    /// Tiers that are passed by. Default: none.
    public var skipping: Skipping = []

    /// Whether a write waits for the stores. Default: ``StoreWriting/through``.
    public var storeWriting: StoreWriting = .through

    /// How processes agree who of them loads a key, if a store can tell them apart (``LeasingRecordStore``). `nil`: each loads for itself. Default: `nil`.
    public var loadLease: LoadLease?

    /// Creates a policy; change the other properties afterwards.
    public init(freshFor: Duration? = nil) {
        self.freshFor = freshFor
    }

    /// A copy with changes.
    ///
    /// ```swift
    /// try await users.value(forKey: id, policy: users.policy.with { $0.skipping = .storeReads }) { … }
    /// ```
    public func with(_ change: (inout CachePolicy) -> Void) -> CachePolicy {
        var copy = self
        change(&copy)
        return copy
    }
}

extension CachePolicy {
    /// When a fresh value is loaded again in the background, before its time is up.
    public struct EarlyRefresh: Sendable, Hashable {
        enum Base: Hashable, Sendable {
            case never
            case fraction(Double)
            case probabilistic(beta: Double)
        }
        let base: Base

        /// Only when it has become stale.
        public static var never: Self { .init(base: .never) }

        /// By the first reader after this fraction of its fresh time, such as 0.9.
        public static func atFraction(_ fraction: Double) -> Self { .init(base: .fraction(fraction)) }

        /// By a reader chosen at random, the more likely the nearer the end is and the longer the last load has taken, so that independent processes
        /// rarely refresh at the same time.
        ///
        /// Vattani, Chierichetti, Lowenstein: Optimal Probabilistic Cache Stampede Prevention, VLDB 2015 (XFetch).
        /// - Parameter beta: More than 1 refreshes earlier, less later. Default: 1, which the paper proves best.
        public static func probabilistic(beta: Double = 1) -> Self { .init(base: .probabilistic(beta: beta)) }
    }

    /// Tiers that a call passes by.
    public struct Skipping: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Memory is not asked.
        public static var memoryReads: Self { .init(rawValue: 1) }
        /// Values that are loaded or found in a store are not written to memory. An older value of the key leaves memory all the same.
        public static var memoryWrites: Self { .init(rawValue: 2) }
        /// The stores are not asked.
        public static var storeReads: Self { .init(rawValue: 4) }
        /// Values that are loaded or inserted are not written to the stores. Older records of the key are removed from them all the same.
        public static var storeWrites: Self { .init(rawValue: 8) }

        /// Memory takes no part.
        public static var memory: Self { [.memoryReads, .memoryWrites] }
        /// The stores take no part.
        public static var stores: Self { [.storeReads, .storeWrites] }
        /// Nothing is asked but the loader; what it returns is kept.
        public static var reads: Self { [.memoryReads, .storeReads] }
    }

    /// At most one process loads a key at a time (best effort); the others wait for its value.
    ///
    /// Before a load, a process asks the first store that leases for the key's lease. The process that gets the lease looks into the stores once
    /// more, loads, publishes, and gives the lease back. The others wait, look into the stores when the key has changed there, and load
    /// themselves when they get the lease. If the store fails, or is left alone, each process loads for itself. Timeouts and cancellation work as
    /// for loads. Loads of several keys by one call, and calls that skip the stores, use no lease.
    ///
    /// If a source has no value for a key, one process after the other asks it, unless ``negativeFor`` says that the absence is remembered.
    public struct LoadLease: Sendable, Hashable {
        /// For how long a process that has died while loading keeps the others waiting. The lease is renewed while the load goes on.
        /// Default: 5 seconds.
        public var duration: Duration

        /// How long a load waits at most for that of another process, before it begins by itself. Default: 10 seconds.
        public var maximumWait: Duration

        public init(duration: Duration = .seconds(5), maximumWait: Duration = .seconds(10)) {
            self.duration = duration
            self.maximumWait = maximumWait
        }
    }

    /// How writes reach the stores.
    public struct StoreWriting: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable { case through, behind }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// A write returns when the stores have it.
        public static var through: Self { .init(.through) }
        /// A write returns when memory has it, and the stores get it in the background, several in one call if they come faster than a store takes them. While
        /// more than some hundred wait for that, a write waits, too. ``TieredCache/flush()`` waits for all of them.
        public static var behind: Self { .init(.behind) }

        public var description: String { base.rawValue }
    }
}

extension CachePolicy {
    /// Checks that the settings go together.
    ///
    /// - Throws: ``CacheError/Code/invalidPolicy`` with a sentence that names the settings.
    public func validate() throws(CacheError) {
        if let problem { throw CacheError(.invalidPolicy, problem) }
    }

    /// The settings that do not go together, in one sentence.
    var problem: String? {
        if let softTimeout, let hardTimeout, softTimeout > max(.zero, hardTimeout) {
            return "softTimeout (\(softTimeout)) must not be longer than hardTimeout (\(hardTimeout))."
        }
        if softTimeout != nil, staleIfError <= .zero, staleWhileRevalidate <= .zero {
            return "softTimeout has no effect without staleIfError: there is no stale value to return."
        }
        switch earlyRefresh.base {
        case .never: break
        case .fraction(let fraction):
            guard fraction > 0, fraction < 1 else { return "earlyRefresh needs a fraction between 0 and 1, not \(fraction)." }
        case .probabilistic(let beta):
            guard beta > 0, beta.isFinite else { return "earlyRefresh needs a beta greater than 0, not \(beta)." }
        }
        if let loadLease, loadLease.duration < .milliseconds(10) {
            return "loadLease needs a duration of at least 10 milliseconds, not \(loadLease.duration)."
        }
        if earlyRefresh != .never, freshFor == nil {
            return "earlyRefresh has no effect without freshFor: values that are fresh for ever are never refreshed."
        }
        return nil
    }
}
