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

    /// A length of time as the settings of the proxy write it: `1m30s`, `2m`, `250ms`.
    static func text(_ milliseconds: UInt64) -> String { DurationText.text(.milliseconds(Int64(clamping: milliseconds))) }
}
