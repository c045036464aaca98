// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The words with which caches say in a log whether they had the object: those of nginx, Hoard, Varnish and CloudFront.
enum CacheWord: Hashable, Sendable {
    /// The stored object was fresh.
    case hit
    /// The stored object was no longer fresh, and was given all the same.
    case stale
    /// The origin confirmed the stored object.
    case revalidated
    /// The object was being loaded for another request.
    case collapsed
    case miss
    /// A miss because the object was no longer fresh.
    case expired
    /// The cache was not asked.
    case without

    /// Reads a word in any case; `nil` if it is another one.
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        // By length, for most words of a log are others.
        switch range.count {
        case 3 where bytes.equalsInAnyCase(range, "hit"): self = .hit
        case 4 where bytes.equalsInAnyCase(range, "miss"): self = .miss
        case 4 where bytes.equalsInAnyCase(range, "pass"): self = .without
        case 5 where bytes.equalsInAnyCase(range, "stale"): self = .stale
        case 6 where bytes.equalsInAnyCase(range, "bypass"): self = .without
        case 6 where bytes.equalsInAnyCase(range, "scarce"): self = .miss
        case 7 where bytes.equalsInAnyCase(range, "expired"): self = .expired
        case 7 where bytes.equalsInAnyCase(range, "failure"): self = .without
        case 8 where bytes.equalsInAnyCase(range, "updating"): self = .stale
        case 8 where bytes.equalsInAnyCase(range, "stalehit"): self = .stale
        case 9 where bytes.equalsInAnyCase(range, "generated"): self = .without
        case 9 where bytes.equalsInAnyCase(range, "abandoned"): self = .without
        case 10 where bytes.equalsInAnyCase(range, "refreshhit"): self = .revalidated
        case 11 where bytes.equalsInAnyCase(range, "revalidated"): self = .revalidated
        case 12 where bytes.equalsInAnyCase(range, "validatedhit"): self = .revalidated
        case 12 where bytes.equalsInAnyCase(range, "collapsedhit"): self = .collapsed
        default: return nil
        }
    }

    /// Whether it was a hit, if the cache was asked.
    var wasHit: Bool? {
        switch self {
        case .hit, .stale, .revalidated, .collapsed: true
        case .miss, .expired: false
        case .without: nil
        }
    }
}
