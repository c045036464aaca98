// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The words with which caches say in a log whether they had the object: those of nginx, Hoard, Varnish and CloudFront.
enum CacheWord {
    case hit, miss
    /// The cache was not asked.
    case without

    /// Reads a word in any case; `nil` if it is another one.
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        // By length, for most words of a log are others.
        switch range.count {
        case 3 where bytes.equalsInAnyCase(range, "hit"): self = .hit
        case 4 where bytes.equalsInAnyCase(range, "miss"): self = .miss
        case 4 where bytes.equalsInAnyCase(range, "pass"): self = .without
        case 5 where bytes.equalsInAnyCase(range, "stale"): self = .hit
        case 6 where bytes.equalsInAnyCase(range, "bypass"): self = .without
        case 6 where bytes.equalsInAnyCase(range, "scarce"): self = .miss
        case 7 where bytes.equalsInAnyCase(range, "expired"): self = .miss
        case 7 where bytes.equalsInAnyCase(range, "failure"): self = .without
        case 8 where bytes.equalsInAnyCase(range, "updating"): self = .hit
        case 8 where bytes.equalsInAnyCase(range, "stalehit"): self = .hit
        case 9 where bytes.equalsInAnyCase(range, "generated"): self = .without
        case 9 where bytes.equalsInAnyCase(range, "abandoned"): self = .without
        case 10 where bytes.equalsInAnyCase(range, "refreshhit"): self = .hit
        case 11 where bytes.equalsInAnyCase(range, "revalidated"): self = .hit
        case 12 where bytes.equalsInAnyCase(range, "validatedhit"): self = .hit
        case 12 where bytes.equalsInAnyCase(range, "collapsedhit"): self = .hit
        default: return nil
        }
    }

    /// Whether it was a hit, if the cache was asked.
    var wasHit: Bool? {
        switch self {
        case .hit: true
        case .miss: false
        case .without: nil
        }
    }
}
