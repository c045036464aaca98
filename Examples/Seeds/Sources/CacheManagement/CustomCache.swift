// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardViews
import Logging

/// The tutorial's `CustomCache`: a disk manager, a capacity, and a default max age.
///
/// It differs in two places: the disk manager does not rewrite dates, and there are the three methods by which a user's screens can be forgotten.
final class CustomCache: CacheManagerProtocol {
    struct Config {
        let diskMaximumCapacity: Int
        let cacheMaxAge: Int

        init(diskMaximumCapacity: Int = 150, cacheMaxAge: Int = 300) {
            self.diskMaximumCapacity = diskMaximumCapacity
            self.cacheMaxAge = cacheMaxAge
        }
    }

    let config: Config
    let diskManager: any CacheDiskManagerProtocol
    private let clock: any WallClock

    init(store: any EvictingRecordStore, config: Config = Config(), clock: any WallClock, logger: Logger) {
        self.config = config
        self.clock = clock
        diskManager = DefaultCacheDiskManager(store: store, clock: clock, logger: logger)
    }

    func addToCache(_ reference: CacheReference) async {
        await diskManager.update(reference)
        if await diskManager.numberOfReferences() > config.diskMaximumCapacity { await diskManager.removeLeastRecentlyUsed() }
        await diskManager.saveChanges()
    }

    func getReference(identifiedBy identifier: String) async -> CacheReference? {
        await diskManager.getReference(for: identifier)
    }

    func isValid(reference: CacheReference) -> Bool {
        let maxAge = reference.maxAge ?? config.cacheMaxAge
        return reference.timeOfCreation.addingTimeInterval(TimeInterval(maxAge)) > clock.now()
    }

    func removeReference(identifiedBy identifier: String) async { await diskManager.removeReference(for: identifier) }
    func removePartition(_ partition: String) async { await diskManager.removePartition(partition) }
    func clear() async { await diskManager.clear() }
}
