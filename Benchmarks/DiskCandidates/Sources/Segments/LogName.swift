// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The two logs of a store, each with segments of its own, in consecutive numbers.
///
/// They are the queues of S3-FIFO (Yang and others, "FIFO Queues are All You Need for Cache Eviction", SOSP 2023).
enum LogName: Int, CaseIterable, Sendable {
    /// Takes every write and every removal. When a segment of it is cleaned, records that were read move to the main log.
    case small = 0
    /// Takes what the hand moves: records that were read, and removals of keys of which this log may still have an older record.
    ///
    /// So of a key that both have, the small log has the later record.
    case main = 1
}

/// The name of a segment: its log, and its number in the log.
struct SegmentName: Hashable, Sendable {
    var log: LogName
    var number: UInt64

    /// Both in one number, as the files have it: the highest bit tells the log.
    var label: UInt64 { number | UInt64(log.rawValue) << 63 }

    init(_ log: LogName, _ number: UInt64) {
        self.log = log
        self.number = number
    }

    init(label: UInt64) {
        log = label >> 63 == 0 ? .small : .main
        number = label & (1 << 63 - 1)
    }

    /// The segment with this file name.
    init?(file: String) {
        let parts = file.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 12, let number = UInt64(parts[1], radix: 16) else { return nil }
        switch parts[0] {
        case "small": log = .small
        case "main": log = .main
        default: return nil
        }
        self.number = number
    }

    var file: String {
        let digits = String(number, radix: 16)
        return (log == .small ? "small-" : "main-") + String(repeating: "0", count: max(12 - digits.count, 0)) + digits
    }

    var next: SegmentName { SegmentName(log, number + 1) }
}
