// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How many different keys are requested in each window of a trace, in memory that does not depend on its length.
///
/// The windows have the same length, a power of two. Whenever there are too many, each two become one. Their different keys are exact all the same:
/// each request is counted by the longest window in which its key is new.
///
/// Denning: The Working Set Model for Program Behavior, CACM 1968.
struct WorkingSet: Sendable {
    /// A window.
    struct Window: Hashable, Sendable {
        /// Where it begins.
        let start: UInt64
        let requests: Int
        /// How many different keys were requested.
        let keys: Int
        /// The number of keys that were requested for the first time.
        let newKeys: Int
    }

    private static let maximumWindows = 256
    /// The length that a request has whose key is new in the whole trace.
    private static let never = 65
    private static let lengths = 66

    /// For each window, how many requests there are of keys that are new in it up to the length 2^*i* − 1.
    private var counts = Array(repeating: 0, count: maximumWindows * lengths)
    private var lengthBits = 0
    private var lastWindow = -1

    /// Where each window ends, after its start.
    var length: UInt64 { 1 << UInt64(lengthBits) }

    /// Counts a request. The times may not go back.
    ///
    /// - Parameters:
    ///   - now: When the request is made.
    ///   - previous: When the same key was requested before; `nil` for a new key.
    mutating func add(at now: UInt64, previous: UInt64?) {
        while now >> UInt64(lengthBits) >= UInt64(Self.maximumWindows) { joinWindows() }
        // Two times lie in the same window if they differ only in bits below its length.
        let differing = previous.map { 64 - ($0 ^ now).leadingZeroBitCount } ?? Self.never
        lastWindow = Int(now >> UInt64(lengthBits))
        counts[lastWindow * Self.lengths + differing] += 1
    }

    /// The windows, from the first to that of the last request.
    var windows: [Window] {
        (0..<lastWindow + 1).map { window in
            let counts = counts[window * Self.lengths..<(window + 1) * Self.lengths]
            return Window(
                start: UInt64(window) << UInt64(lengthBits),
                requests: counts.reduce(0, +),
                keys: counts.dropFirst(lengthBits + 1).reduce(0, +),
                newKeys: counts.last ?? 0
            )
        }
    }

    private mutating func joinWindows() {
        var joined = Array(repeating: 0, count: counts.count)
        for (place, count) in counts.enumerated() where count > 0 {
            joined[place / Self.lengths / 2 * Self.lengths + place % Self.lengths] += count
        }
        counts = joined
        lengthBits += 1
        lastWindow /= 2
    }
}
