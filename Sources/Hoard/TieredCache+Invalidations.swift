// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Changes that somebody else makes to the stores.
extension TieredCache {
    /// Listens to the stores that tell of changes, as long as the cache lives.
    func watchStores(keyOfRecord: (@Sendable (RecordKey) -> Key?)?) {
        let streams = tiers.compactMap { $0.store.invalidations() }
        let tasks = streams.map { stream in
            Task { [weak self] in
                for await invalidation in stream {
                    guard let self else { return }
                    await self.drop(invalidation, keyOfRecord: keyOfRecord)
                }
            }
        }
        watchers.withLock { $0 = tasks }
    }

    /// Drops what has changed from memory. The stores have the change already.
    private func drop(_ invalidation: StoreInvalidation, keyOfRecord: (@Sendable (RecordKey) -> Key?)?) async {
        if let key = invalidation.key.flatMap({ keyOfRecord?($0) }) {
            dropFromMemory(key)
        } else {
            await changeEverything { _ in }
        }
    }

    /// Drops a key from memory, and keeps loads and reads that began before from publishing.
    private func dropFromMemory(_ key: Key) {
        _ = fences.withLock { fences in
            let fence = fences.open(key)
            _ = fences.beginChange(fence)
            defer { fences.endChange(fence) }
            return memory.removeEntry(forKey: key)
        }
        detach(key)
    }
}
