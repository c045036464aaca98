// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// A change that another process has made on a shared disk.
public struct CacheDiskChange: Sendable, Hashable {
    /// The identifier of the reference that was written or removed. `nil`: any may have been.
    public let identifier: String?

    /// Creates a change, for disks of your own.
    public init(identifier: String?) { self.identifier = identifier }
}

extension CacheManager {
    /// Drops from memory references that other processes change on the disk, as long as the manager lives.
    func watchDisk() -> Task<Void, Never>? {
        guard let changes = disk?.changesByOthers() else { return nil }
        return startTask { [weak self] in
            for await change in changes {
                guard let self else { return }
                self.drop(change)
            }
        }
    }

    /// The disk has the change already. A read that began before does not put back the reference that it found.
    private func drop(_ change: CacheDiskChange) {
        state.withLock { state in
            state.version += 1
            if let identifier = change.identifier {
                memory.removeValue(forKey: RecordKey(identifier))
            } else {
                memory.removeAll()
                state.partitionRemovals = [:]
            }
        }
    }
}
