// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

extension CacheManager {
    /// The reference, valid or not, as it was added; `nil` if there is none. From memory without suspending, else from the disk.
    public func getReference(identifiedBy identifier: String) async -> CacheReference? {
        let key = RecordKey(identifier)
        let (found, version) = readMemory(key)
        if let found { return found }
        await trimOnce()
        await tellUses()
        guard let disk, let reference = await disk.getReference(for: identifier) else {
            state.withLock { $0.statistics.misses += 1 }
            return nil
        }
        publish(reference, key, readSince: version)
        return reference
    }

    /// Brings a disk that was filled under a higher limit down to its capacity, before it is first read.
    private func trimOnce() async {
        guard let disk, state.withLock({ !exchange(&$0.isTrimmed, with: true) }) else { return }
        await turns.take { await disk.removeLeastRecentlyUsed(keeping: configuration.diskMaximumCapacity) }
    }

    /// Looks in memory, and notes the use for the disk.
    private func readMemory(_ key: RecordKey) -> (reference: CacheReference?, version: UInt64) {
        let (reference, version, mustTell) = state.withLock { state -> (CacheReference?, UInt64, Bool) in
            guard let held = memory.value(forKey: key) else { return (nil, state.version, false) }
            if state.isRemoved(held) {
                memory.removeValue(forKey: key)
                return (nil, state.version, false)
            }
            state.statistics.memoryHits += 1
            guard disk != nil, !held.reference.isSensitive else { return (held.reference, state.version, false) }
            return (held.reference, state.version, state.noteUse(of: key))
        }
        if mustTell {
            startTask { [self] in
                await tellUses()
                state.withLock { $0.isTellingUses = false }
            }
        }
        return (reference, version)
    }

    /// Puts the reference that the disk had into memory, unless something has been changed since.
    private func publish(_ reference: CacheReference, _ key: RecordKey, readSince version: UInt64) {
        state.withLock { state in
            state.statistics.diskHits += 1
            guard state.version == version, !state.isChanging else { return }
            insert(reference, key, &state)
        }
    }

    /// Puts a reference into memory, under the lock.
    func insert(_ reference: CacheReference, _ key: RecordKey, _ state: inout State) {
        let weight = key.bytes.count + reference.data.count + reference.hash.utf8.count + Self.overheadBytesPerReference
        memory.insert(Held(reference: reference, number: state.version), forKey: key, weight: weight)
    }

    /// Tells the disk which references memory has used, so that it does not evict the most used ones.
    func tellUses() async {
        let uses = state.withLock { state in
            defer { state.uses = [:] }
            return state.uses.sorted { $0.value < $1.value }.map(\.key.description)
        }
        if !uses.isEmpty { await disk?.noteUses(ofReferencesFor: uses) }
    }
}

extension CacheManager.State {
    /// - Returns: Whether there are so many that the disk must be told of them.
    fileprivate mutating func noteUse(of key: RecordKey) -> Bool {
        useCount += 1
        uses[key] = useCount
        guard uses.count >= Self.useCapacity, !isTellingUses else { return false }
        isTellingUses = true
        return true
    }
}
