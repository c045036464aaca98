// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A policy, and when the objects expire that it was given: no policy knows of time.
///
/// An expired object takes its room until it is asked for or evicted, as in a cache that looks at times when it reads, unless the cache reclaims.
struct ExpiringCache<Policy: ReplacementPolicy>: Sendable {
    var policy: Policy
    /// Whether the policy is told sizes; otherwise each is 1.
    private let countsBytes: Bool
    /// When the object expires that each key was brought in with last, by the key's number.
    private var deadlines: [UInt64] = []
    /// The objects that expire next, for a cache that gives the room of expired objects back by itself.
    private var reclaiming: ExpiredKeys?

    /// - Parameter reclaims: Whether an expired object gives its room back at once, and not when it is asked for.
    init(_ policy: Policy, countsBytes: Bool, reclaims: Bool = false) {
        self.policy = policy
        self.countsBytes = countsBytes
        reclaiming = reclaims ? ExpiredKeys() : nil
    }

    /// Asks for an object, which is brought in if it is not there, and says whether it was.
    mutating func access(_ request: AccessRequest) -> Bool {
        policy.access(request.key, size: countsBytes ? request.chargedBytes : 1)
    }

    /// Brings an object in, or another version of it, which answers for so many milliseconds after it expires.
    mutating func write(_ request: AccessRequest, _ number: Int, staleFor window: UInt64 = 0) {
        _ = access(request)
        setDeadline(request.deadline(staleFor: window), of: request.key, number)
    }

    /// Removes an object, if it is held. Asking for it is then a miss of nothing that has expired.
    mutating func remove(_ key: UInt64, _ number: Int) {
        _ = policy.remove(key)
        setDeadline(.max, of: key, number)
    }

    /// When the object of a key expires, if it is held; `UInt64.max` for never.
    func deadline(of number: Int) -> UInt64 { number < deadlines.count ? deadlines[number] : .max }

    /// Notes when an object expires that was brought in.
    mutating func setDeadline(_ deadline: UInt64, of key: UInt64, _ number: Int) {
        while deadlines.count <= number { deadlines.append(.max) }
        deadlines[number] = deadline
        reclaiming?.set(deadline, of: key, number)
    }

    /// Removes an object that has expired by a time, and says whether there was one.
    mutating func expire(_ key: UInt64, _ number: Int, at time: UInt64) -> Bool {
        guard deadline(of: number) <= time else { return false }
        return policy.remove(key) || reclaiming?.wasReclaimed(number) == true
    }

    /// Removes objects that have expired by a time, if the cache does so.
    mutating func reclaim(at time: UInt64) {
        while let (key, number) = reclaiming?.next(at: time) {
            if policy.remove(key) { reclaiming?.noteReclaimed(number) }
        }
    }
}
