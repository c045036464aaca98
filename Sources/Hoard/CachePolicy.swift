// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The rules for values: how long they are fresh, when a stale one may be returned, and which tiers take part.
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
/// Negative durations count as zero, so a computed one may come out too small. ``validate()`` finds settings that contradict each other.
public struct CachePolicy: Sendable, Hashable {
    /// The time for which a value is fresh, from the end of its load. `nil`: for ever. Default: `nil`.
    public var freshFor: Duration?

    /// The time after ``freshFor`` for which readers get the stale value at once, while it is loaded again in the background (RFC 5861 §3). Default:
    /// zero.
    public var staleWhileRevalidate: Duration = .zero

    /// The time after ``freshFor`` for which a stale value may be returned if loading a new one fails or takes too long (RFC 5861 §4; "fail-safe").
    /// Default: zero.
    public var staleIfError: Duration = .zero

    /// The least time for which a stale value is kept, so that a loader can revalidate it and ``TieredCache/lookup(forKey:policy:)`` can show it.
    /// Default: zero.
    ///
    /// A value is kept for the longest of this, ``staleWhileRevalidate`` and ``staleIfError``.
    public var staleFor: Duration = .zero

    /// The time after a failed load for which a stale value is returned without another attempt. Default: 30 seconds.
    ///
    /// As long as there is a stale value to return, the source of a key is asked no more often than this.
    public var retryAfterFailure: Duration = .seconds(30)

    /// The rule by which a value that is still fresh is loaded again in the background. Default: ``EarlyRefresh/never``.
    public var earlyRefresh: EarlyRefresh = .never

    /// The greatest random addition to ``freshFor``, so that values written together do not become stale together. Default: zero.
    public var jitter: Duration = .zero

    /// The time for which the cache remembers that a loader found no value. Zero: not at all. Default: zero.
    public var negativeFor: Duration = .zero

    /// The longest wait for a load while there is a stale value by ``staleIfError``. Then the caller gets the stale value; the load goes on, and its
    /// result is kept. `nil`: no limit. Default: `nil`.
    public var softTimeout: Duration?

    /// The longest wait for a load and for the stores that are read before it. Then the caller gets a stale value, if there is one, or
    /// ``CacheError/Code/timedOut``; the load goes on, and its result is kept. `nil`: no limit. Default: `nil`.
    ///
    /// Requests for several keys at once wait for the stores up to their own deadline (``StoreStack/Configuration/deadline``).
    ///
    /// Callers that come meanwhile join that load. A loader that may never return needs a timeout of its own, or no caller gets its key's value
    /// any more.
    public var hardTimeout: Duration?

    /// The tiers that are passed by. Default: none.
    public var skipping: Skipping = []

    /// Whether a write waits for the stores. Default: ``StoreWriting/through``.
    public var storeWriting: StoreWriting = .through

    /// The lease by which one process loads a key at a time, if a store grants leases (``LeasingRecordStore``). `nil`: each process loads for itself.
    /// Default: `nil`.
    public var loadLease: LoadLease?

    /// Creates a policy; change the other properties afterwards.
    public init(freshFor: Duration? = nil) {
        self.freshFor = freshFor
    }

    /// Returns a copy with changes.
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
    /// A rule by which a fresh value is loaded again in the background before it becomes stale.
    public struct EarlyRefresh: Sendable, Hashable {
        enum Base: Hashable, Sendable {
            case never
            case fraction(Double)
            case probabilistic(beta: Double)
        }
        let base: Base

        /// Values are loaded again only when they have become stale.
        public static var never: Self { .init(base: .never) }

        /// The first reader after this fraction of the fresh time, such as 0.9, starts the load.
        public static func atFraction(_ fraction: Double) -> Self { .init(base: .fraction(fraction)) }

        /// A reader chosen at random starts the load. That is more likely near the end of the fresh time and after a slow load, so independent
        /// processes rarely refresh at the same time.
        ///
        /// Vattani, Chierichetti, Lowenstein: Optimal Probabilistic Cache Stampede Prevention, VLDB 2015 (XFetch).
        /// - Parameter beta: More than 1 refreshes earlier, less later. Default: 1, which the paper proves best.
        public static func probabilistic(beta: Double = 1) -> Self { .init(base: .probabilistic(beta: beta)) }
    }

    /// The tiers that a call passes by.
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
        /// Only the loader is asked, and its value is kept.
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
        /// The time after which a lease runs out, if its process has died. It is renewed while the load goes on. Less than 10 milliseconds count as
        /// 10. Default: 5 seconds.
        public var duration: Duration

        /// The longest wait for another process's load, before this process loads by itself. Default: 10 seconds.
        public var maximumWait: Duration

        /// Creates a lease with its times.
        public init(duration: Duration = .seconds(5), maximumWait: Duration = .seconds(10)) {
            self.duration = duration
            self.maximumWait = maximumWait
        }

        /// Time for a renewal, which takes a round trip.
        static var minimumDuration: Duration { .milliseconds(10) }
    }

    /// The way in which writes reach the stores.
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
    /// Checks that the settings do not contradict each other.
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
        if let loadLease, loadLease.duration < LoadLease.minimumDuration {
            return "loadLease needs a duration of at least 10 milliseconds, not \(loadLease.duration)."
        }
        if earlyRefresh != .never, freshFor == nil {
            return "earlyRefresh has no effect without freshFor: values that are fresh for ever are never refreshed."
        }
        return nil
    }
}
