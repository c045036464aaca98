// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TraceProfile {
    /// The number of different keys.
    public var keyCount: Int { keys.count }

    /// Milliseconds from the first request to the last one; `nil` if the access trace has no times.
    public var duration: UInt64? { hasTimes ? now : nil }

    /// The mean size of the requested objects, over all requests, in bytes; `nil` without sizes.
    public var meanSize: Double? { hasSizes ? Double(requestedBytes) / Double(requestCount) : nil }

    /// The mean size of a key, in bytes; `nil` without sizes. A key has its largest size.
    public var meanKeySize: Double? { hasSizes ? Double(distinctBytes) / Double(keyCount) : nil }

    /// The miss ratio of a cache without limits, from 0 to 1. Lifetimes and removals make that of a real cache
    /// larger; one that loads objects before they are asked for may be below it.
    public var compulsoryMissRatio: Double { Double(compulsoryMissCount) / Double(max(requestCount, 1)) }

    /// The same of bytes.
    public var compulsoryByteMissRatio: Double { Double(compulsoryMissBytes) / Double(max(requestedBytes, 1)) }

    /// The share of the requests whose key is requested once only, from 0 to 1.
    public var shareOfRequestsSeenOnce: Double { Double(keys.count { $0.requests == 1 }) / Double(max(requestCount, 1)) }

    /// The share of the keys that are requested once only, from 0 to 1: one-hit wonders.
    public var shareOfKeysSeenOnce: Double { Double(keys.count { $0.requests == 1 }) / Double(max(keyCount, 1)) }

    /// The exponent of the Zipf law that fits best, by least squares on logarithmic axes; `nil` if fewer than three ranks have 5 requests.
    public var zipfExponent: Double? { popularity.zipfFit?.exponent }

    /// The requests by rank.
    var popularity: Popularity { Popularity(keys.lazy.map(\.requests)) }

    /// The sizes that are known, once for each key.
    var keySizes: PowerHistogram {
        keys.reduce(into: PowerHistogram()) { sizes, key in
            if let size = key.size { sizes.add(UInt64(size)) }
        }
    }
}
