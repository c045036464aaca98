// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardDisk
import HoardTesting
import HoardViews

/// Hoard's `CacheManager` over a `DiskStore`.
actor HoardScreenStorage: ScreenStorage {
    private let directory: String
    private let maximumBytes: Int
    private let time: ManualTicker
    private var store: DiskStore?
    private var manager: CacheManager?

    init(_ directory: String, _ maximumBytes: Int, _ time: ManualTicker) {
        self.directory = directory
        self.maximumBytes = maximumBytes
        self.time = time
    }

    static func make(_ directory: String, _ maximumBytes: Int, _ time: ManualTicker) -> any ScreenStorage {
        HoardScreenStorage(directory, maximumBytes, time)
    }

    func open() async throws -> any CacheManagerProtocol {
        await close()
        let store = try DiskStore(configuration: .init(directory: directory, maximumBytes: maximumBytes, clock: time))
        let manager = CacheManager(configuration: .init(memoryMaximumBytes: maximumBytes), store: store, clock: time, ticker: time)
        (self.store, self.manager) = (store, manager)
        return manager
    }

    func close() async {
        await store?.close()
        (store, manager) = (nil, nil)
    }

    func byteCount() async throws -> Int {
        max(try await store?.statistics().bytes ?? 0, manager?.statistics.memoryBytes ?? 0)
    }
}
