// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The time for which keys are kept on the server, in milliseconds; `nil`: for ever.
enum KeyLifetime {
    /// Longer times count as for ever. The server does not accept any number.
    static let longest: Int64 = 100 * 366 * 86_400_000

    /// The time for which a record is kept: until its time is up by its reader's clock, however that differs.
    static func milliseconds(of record: Record, now: Date, slack: Duration) -> Int64? {
        guard let staleUntil = record.staleUntil else { return nil }
        let seconds = staleUntil.timeIntervalSince(now)
        if seconds * 1_000 >= Double(longest) { return nil }
        let rest = seconds.isNaN || seconds <= 0 ? 0 : Int64((seconds * 1_000).rounded(.up))
        return max(1, min(longest, rest + milliseconds(slack)))
    }

    static func milliseconds(_ duration: Duration) -> Int64 {
        min(longest, max(0, duration.saturatingNanoseconds / 1_000_000))
    }

    /// The time for which a generation is kept to which a record refers that is kept for `needed`.
    ///
    /// In few and long steps: to keep a key for longer is a change to it, of which the server tells all processes.
    static func ofGeneration(neededBy needed: Int64?) -> Int64? {
        guard let needed else { return nil }
        let day: Int64 = 86_400_000
        return [2 * day, 20 * day, 200 * day].first { $0 >= 2 * needed }
    }
}
