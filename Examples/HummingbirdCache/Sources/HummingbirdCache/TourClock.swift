// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A clock that stands still until it is set ahead, so that the tour does not wait for minutes.
final class TourClock: WallClock {
    private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    func now() -> Date { date.withLock { $0 } }

    func advance(bySeconds seconds: Double) { date.withLock { $0 += seconds } }
}
