// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Zstandard && os(Linux)
    /// How far back data may refer, as a power of two.
    enum ZstandardWindow {
        /// 8 MiB, which every receiver of HTTP accepts and no sender exceeds (RFC 9659, section 3).
        static let httpLog = 23
        /// 128 MiB, the most that a dictionary makes of it (RFC 9842).
        static let longestLog = 27

        /// The largest window that a receiver gives memory to: 8 MiB, or five fourths of the
        /// dictionary (RFC 9842).
        static func maximumLog(dictionary: [UInt8]?) -> Int {
            guard let dictionary else { return httpLog }
            return min(max(httpLog, log(notBelow: dictionary.count / 4 * 5)), longestLog)
        }

        /// The window that a sender uses so that content can refer to the same place of the
        /// dictionary; `nil` leaves it to the level.
        static func log(level: Int, dictionary: [UInt8]?) -> Int? {
            guard let dictionary else { return nil }
            let wanted = log(notBelow: dictionary.count / 4 * 5)
            // Without a dictionary most levels would use as much as the second number.
            return min(max(wanted, level < 10 ? 21 : 22), max(httpLog, wanted - 1), longestLog)
        }

        private static func log(notBelow count: Int) -> Int {
            count <= 1 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount
        }
    }
#endif
