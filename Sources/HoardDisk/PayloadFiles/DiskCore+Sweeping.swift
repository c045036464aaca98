// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

/// Orphans: files that a process left behind when it died, or whose deletion failed.
extension DiskCore {
    /// Goes on deleting the records that had gone with a tag when a process died or could not write.
    func resumeSweeps(_ session: DatabaseSession) {
        let tags = session.memory.withLock { Array($0.index.invalidations.keys) }
        for tag in tags { queue.enqueue(.sweep(tag: tag)) { self.drain() } }
    }

    /// Deletes files that belong to no record. Blocks for O(n) of files, beside reading and writing.
    func sweepFiles(_ session: DatabaseSession) {
        _ = try? session.files.sweepTemporaryFiles()
        for folder in UInt8.min...UInt8.max {
            guard case .open(let current) = state.withLock({ $0 }), current === session else { return }
            guard let names = try? session.files.names(inFolder: folder), !names.isEmpty else { continue }
            let unknown = try? session.readers.withReader { reader in
                try names.filter { name in try session.withRow(of: name.id, on: reader) { row in row?.file != name.nonce } }
            }
            guard let unknown, !unknown.isEmpty else { continue }
            queue.enqueue(.perform { transaction in try transaction.abandonOrphans(among: unknown) }) { self.drain() }
        }
    }
}

extension WriteTransaction {
    /// Has those files deleted that belong to no record. Files are put in place inside the transaction that writes
    /// their rows, so a file that has no row now never gets one.
    func abandonOrphans(among names: [PayloadFileName]) throws {
        for name in names where try withRow(name.id, { row in row?.file != name.nonce }) { abandonedFiles.append(name) }
    }
}
