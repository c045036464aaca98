// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardDisk

/// The tutorial's manager, with its three methods: memory in front of a disk.
struct ObjectCache<Object: Cachable> {
    private let cache: TieredCache<String, Object>

    init(
        directory: String,
        weigher: @escaping @Sendable (Object) -> Int
    ) throws {
        let disk = try DiskStore(
            configuration: .init(
                directory: directory,
                maximumBytes: 64 << 20
            )
        )
        cache = TieredCache(
            configuration: .init(
                maximumWeight: 16 << 20,
                weigher: { _, object in weigher(object) }
            ),
            stores: [disk],
            codec: .cachable
        )
    }

    func store(key: String, object: Object) async {
        await cache.insert(object, forKey: key)
    }

    func retrieve(_ key: String) async -> Object? {
        await cache.value(forKey: key)
    }

    func remove(_ key: String) async {
        await cache.removeValue(forKey: key)
    }

    /// Closes the disk.
    func close() async { await cache.close() }
}
