// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Remembers of which keys the last load has failed, and until when their source is left alone.
///
/// Not thread-safe: its owner guards it. Memory is bounded: with too many keys, those whose time is up are forgotten, then all.
struct RetryThrottle<Key: Hashable> {
    private var retryTimes: [Key: Int64] = [:]
    private let maximumCount: Int

    init(maximumCount: Int = 10_000) {
        self.maximumCount = maximumCount
    }

    mutating func loadFailed(_ key: Key, retryAt tick: Int64, now: Int64) {
        guard tick > now else { return }
        if retryTimes.count >= maximumCount, retryTimes[key] == nil {
            retryTimes = retryTimes.filter { $0.value > now }
            if retryTimes.count >= maximumCount { retryTimes = [:] }
        }
        retryTimes[key] = tick
    }

    mutating func forget(_ key: Key) {
        if !retryTimes.isEmpty { retryTimes[key] = nil }
    }

    mutating func forgetAll() {
        retryTimes = [:]
    }

    /// The tick at which the source may be asked again, if that is in the future.
    func retryTime(of key: Key, now: Int64) -> Int64? {
        retryTimes[key].flatMap { $0 > now ? $0 : nil }
    }

    var count: Int { retryTimes.count }
}
