// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

extension CacheManager {
    /// Keeps a reference, in place of any other with its identifier, and evicts the least recently used ones beyond the capacities.
    ///
    /// Returns when the disk has it. Cancelling the task does not stop it. O(log n).
    public func addToCache(_ reference: CacheReference) async {
        let key = RecordKey(reference.identifier)
        await change { [self] state in
            memory.removeValue(forKey: key)
            insert(reference, key, &state)
            state.uses[key] = nil
        } onDisk: { [configuration] disk in
            if configuration.diskMaximumCapacity == 0, !reference.isSensitive {
                await disk.removeReference(for: reference.identifier)
            } else {
                await disk.update(reference)
            }
        }
    }

    /// Forgets a reference. O(log n).
    public func removeReference(identifiedBy identifier: String) async {
        let key = RecordKey(identifier)
        var sensitive: CacheReference?
        await change { [self] state in
            if let removed = memory.removeValue(forKey: key)?.reference, removed.isSensitive { sensitive = removed }
            state.uses[key] = nil
        } onDisk: { disk in
            // The disk learns of no sensitive reference, not even that it is to be removed.
            if let sensitive { await disk.update(sensitive) } else { await disk.removeReference(for: identifier) }
        }
    }

    /// Forgets all references of a partition, in memory and on the disk. O(1): they are known to be gone, and their room is given back later.
    public func removePartition(_ partition: String) async {
        await change { [self] state in
            if state.partitionRemovals.count >= State.maximumPartitionRemovalCount {
                memory.removeAll()
                state.partitionRemovals = [:]
            } else {
                state.partitionRemovals[RecordKey(partition)] = state.version
            }
        } onDisk: { disk in
            await disk.removePartition(partition)
        }
    }

    /// Forgets all references, in memory and on the disk.
    public func clear() async {
        await change { [self] state in
            memory.removeAll()
            state.partitionRemovals = [:]
            state.uses = [:]
        } onDisk: { disk in
            await disk.clear()
        }
    }

    /// Returns when the disk has all that was asked for before, the order in which the references were used included.
    public func saveChanges() async {
        await turns.take { [self] in
            await tellUses()
            await disk?.saveChanges()
        }
    }

    /// The number of references that the disk has.
    public func numberOfReferencesOnDisk() async -> Int { await disk?.numberOfReferences() ?? 0 }

    /// Makes a change in memory and on the disk, when those that were asked for before are made.
    private func change(inMemory: (inout State) -> Void, onDisk: (any CacheDiskManagerProtocol) async -> Void) async {
        await turns.take {
            state.withLock { state in
                state.version += 1
                state.isChanging = true
                inMemory(&state)
            }
            if let disk {
                // First, so that references used since do not make room.
                await tellUses()
                await onDisk(disk)
                await disk.removeLeastRecentlyUsed(keeping: configuration.diskMaximumCapacity)
            }
            state.withLock { state in
                state.version += 1
                state.isChanging = false
            }
        }
    }
}
