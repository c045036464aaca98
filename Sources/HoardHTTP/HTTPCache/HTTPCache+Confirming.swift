// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Responses that are confirmed again and again.
///
/// A response that is fresh for seconds is confirmed every few seconds, and mostly differs afterwards only in its times. Memory gets each of these
/// forms. A store of this machine alone keeps an older one for a while, as writing them all costs more than the rest of a confirmation, and wears the
/// device. If memory loses the response, it comes back a little older than it was. At worst it is confirmed once more than necessary.
///
/// Stores that other machines read get every form. Otherwise each machine would have to confirm by itself what one of them has confirmed.
extension HTTPCache {
    /// Whether the stores may keep the form of a response that memory has, when memory gets the next one. O(*n*) in the bytes of both.
    ///
    /// Time is divided into spans of the greatest lag, and the stores get the first form of each span. The spans of different keys begin at different
    /// moments, so that the writes are spread evenly.
    func storesMayKeep(_ old: StoredResponse, insteadOf new: StoredResponse, forKey key: HTTPCacheKey) -> Bool {
        guard storesMayLag, old.staleSince == nil, new.staleSince == nil, case let lag = greatestLag(of: new), lag > 0 else { return false }
        let offset = Double(UInt(bitPattern: key.hashValue) % 65_536) / 65_536
        func span(of response: StoredResponse) -> Double {
            (response.responseTime.timeIntervalSinceReferenceDate / lag + offset).rounded(.down)
        }
        // Another Expires or Age may have ended the freshness that the old form still has.
        return span(of: old) == span(of: new) && old.freshUntil <= new.freshUntil && new.isEqualExceptForTimes(to: old)
    }

    /// The most seconds by which a response in the stores may be behind memory: a sixteenth of the shortest time for which it is of use there, fresh or
    /// stale, but no more than an hour. Times of less than a minute do not count: a restart takes longer.
    private func greatestLag(of response: StoredResponse) -> TimeInterval {
        let fresh = response.freshness.timeToLive(at: response.responseTime)
        let shortest = ([fresh] + stalePeriods(of: response)).filter { $0 >= 60 }.min() ?? 0
        return min(shortest / 16, 3_600)
    }
}

extension StoredResponse {
    /// The end of its freshness, in whole seconds, as `Date` is.
    fileprivate var freshUntil: Double {
        (responseTime.timeIntervalSinceReferenceDate + freshness.timeToLive(at: responseTime)).rounded(.down)
    }
}
