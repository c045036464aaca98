// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Lengths of time that people choose, in milliseconds, and as the settings of the proxy write them.
enum NiceDuration {
    private static let seconds: [UInt64] = [
        1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000,
    ]

    /// The shortest that is not shorter, or the longest there is.
    static func ceiling(_ milliseconds: UInt64) -> UInt64 {
        (seconds.first { $0 * 1_000 >= milliseconds } ?? seconds[seconds.count - 1]) * 1_000
    }

    /// The longest that is not longer, or a second.
    static func floor(_ milliseconds: UInt64) -> UInt64 {
        (seconds.last { $0 * 1_000 <= milliseconds } ?? 1) * 1_000
    }

    /// A number of whole units, the largest that goes: `90s`, `2m`, `250ms`.
    static func text(_ milliseconds: UInt64) -> String {
        for (unit, name) in [(86_400_000 as UInt64, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")]
        where milliseconds >= unit && milliseconds % unit == 0 {
            return "\(milliseconds / unit)\(name)"
        }
        return "\(milliseconds)ms"
    }
}
