// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Changes that somebody else makes to the stores.
extension TieredCache {
    /// Listens to the stores that tell of changes, as long as the cache lives.
    func watchStores() {
        let streams = tiers.compactMap { $0.store.invalidations() }
        let tasks = streams.map { stream in
            startTask { [weak self] in
                for await invalidation in stream {
                    guard let self else { return }
                    await self.drop(invalidation)
                }
            }
        }
        watchers.withLock { $0 = tasks }
    }

    /// Drops what has changed from memory. The stores have the change already.
    private func drop(_ invalidation: StoreInvalidation) async {
        guard let recordKey = invalidation.key else {
            // Somebody else has removed or marked tags; what memory has of them is read again.
            guard !invalidation.tags.isEmpty else { return await changeEverything { _ in } }
            if let name, invalidation.tags.contains(StoreStack.namespaceTag(name)) { return await changeEverything { _ in } }
            let tags = naming.tags(ofRecord: invalidation.tags)
            return await changeTags(tags) {
                $0.remove(tags)
            } inTier: { _, _ in
            }
        }
        switch naming.origin(of: recordKey) {
        case .foreign: return
        case .unknown: await changeEverything { _ in }
        case .key(let key): dropFromMemory(key)
        }
    }

    /// Drops a key from memory, and keeps loads and reads that began before from publishing.
    private func dropFromMemory(_ key: Key) {
        let departure = fences.withLock { fences in
            let fence = fences.open(key)
            _ = fences.beginChange(fence)
            defer { fences.endChange(fence) }
            return memory.removeEntry(forKey: key).departure
        }
        if let departure { memory.report(departure) }
        detach(key)
    }
}
