// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Remembers the keys whose last load has failed, and until when their source is left alone.
///
/// Not thread-safe: its owner guards it. Memory is bounded: with too many keys, it forgets those whose time is up. If that is not enough,
/// it forgets all.
struct RetryThrottle<Key: Hashable> {
    private struct Failure {
        let retryTime: Int64
        let error: (any Error)?
    }

    private var failures: [Key: Failure] = [:]
    private let maximumCount: Int

    init(maximumCount: Int = 10_000) {
        self.maximumCount = maximumCount
    }

    /// - Parameter error: The error that callers get until then; `nil` if they may load.
    mutating func loadFailed(_ key: Key, retryAt tick: Int64, error: (any Error)? = nil, now: Int64) {
        guard tick > now else { return }
        if failures.count >= maximumCount, failures[key] == nil {
            failures = failures.filter { $0.value.retryTime > now }
            if failures.count >= maximumCount { failures = [:] }
        }
        failures[key] = Failure(retryTime: tick, error: error)
    }

    mutating func forget(_ key: Key) {
        if !failures.isEmpty { failures[key] = nil }
    }

    mutating func forgetAll() {
        failures = [:]
    }

    /// The tick at which the source may be asked again; `nil` if it may be asked now.
    func retryTime(of key: Key, now: Int64) -> Int64? {
        failures[key].flatMap { $0.retryTime > now ? $0.retryTime : nil }
    }

    /// The error that callers get as long as the source is left alone.
    mutating func keptError(of key: Key, now: Int64) -> (any Error)? {
        guard let failure = failures[key] else { return nil }
        if failure.retryTime > now { return failure.error }
        failures[key] = nil
        return nil
    }

    var count: Int { failures.count }
}
