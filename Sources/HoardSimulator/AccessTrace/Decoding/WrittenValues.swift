// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The last known sizes and times to live, of a bounded number of keys.
struct WrittenValues {
    private struct Known {
        /// `Int.max` if it is not known.
        var size: Int
        /// In milliseconds; 0 if it is not known, or is for ever.
        var lifetime: UInt64
    }

    private var values = RecentValues<Known>(slotLimit: 1 << 20)

    /// Takes notice of a write.
    ///
    /// - Parameters:
    ///   - size: `nil` if the line does not say.
    ///   - lifetime: In seconds; 0 is for ever.
    mutating func write(key: UInt64, size: Int?, lifetime: UInt64) {
        let size = size ?? values[key]?.size ?? .max
        values[key] = Known(size: size, lifetime: .milliseconds(seconds: lifetime))
    }

    /// The request of a read.
    ///
    /// - Parameters:
    ///   - size: As in the line; `nil` if the value was not there.
    ///   - lifetime: As in the line, in seconds; 0 if it does not say.
    mutating func request(key: UInt64, size: Int?, lifetime: UInt64, time: UInt64?) -> AccessRequest {
        var known = values[key] ?? Known(size: .max, lifetime: 0)
        if let size, size != known.size {
            known.size = size
            values[key] = known
        }
        let milliseconds = lifetime > 0 ? UInt64.milliseconds(seconds: lifetime) : known.lifetime
        return AccessRequest(
            key: key,
            size: known.size == .max ? nil : known.size,
            time: time,
            lifetime: milliseconds > 0 ? milliseconds : nil
        )
    }
}
