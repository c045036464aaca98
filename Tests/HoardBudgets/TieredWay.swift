// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk

/// A way through a `TieredCache`.
enum TieredWay: String, CaseIterable {
    case memoryHit = "tiered memory hit"
    case diskHit = "tiered disk hit"
    case remoteHit = "tiered remote hit"
    case absent = "tiered nothing on disk"
    case loaded = "tiered load"

    private static let resident = 500

    func take(_ count: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hoard-budgets-\(ProcessInfo.processInfo.processIdentifier)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let hasDisk = self == .diskHit || self == .absent
        let stores: [any RecordStore] =
            hasDisk ? [try DiskStore(configuration: .init(directory: folder.path))] : self == .remoteHit ? [RemoteStore()] : []
        // For hits in stores, memory has room for one key, which is never the next.
        let cache = TieredCache<Int, Data>(
            configuration: .init(maximumCount: self == .diskHit || self == .remoteHit ? 1 : 10_000, policy: CachePolicy(freshFor: .seconds(86_400))),
            stores: stores,
            codec: .bytes
        )
        let value = Data(repeating: 1, count: 4_096)
        for key in 0..<Self.resident { await cache.insert(value, forKey: key) }
        for number in 0..<count {
            switch self {
            case .memoryHit, .diskHit, .remoteHit:
                guard await cache.value(forKey: number % Self.resident) != nil else { throw WrongWay(way: rawValue) }
            case .absent:
                guard await cache.value(forKey: -1 - number) == nil else { throw WrongWay(way: rawValue) }
            case .loaded:
                _ = try await cache.value(forKey: -1 - number) { _ in value }
            }
        }
        let statistics = cache.statistics
        let counted =
            switch self {
            case .memoryHit: statistics.memoryHits
            case .diskHit, .remoteHit: statistics.storeHits
            case .absent, .loaded: statistics.misses
            }
        guard counted == count else { throw WrongWay(way: rawValue) }
        await cache.close()
    }
}
