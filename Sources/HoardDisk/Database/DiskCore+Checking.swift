// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Looks for damage in the structure of the database, which no checksum of a record finds. A page of a tree that has lost its order hides written
/// records, or brings back replaced ones.
extension DiskCore {
    /// The length, in bytes, up to which a database is checked before it is used. A longer one is checked beside the first operations: the check of
    /// 7 MB takes 16 to 20 ms, longer than everything else that an app waits for when it opens the store.
    static let byteCountCheckedAtOnce = 1 << 20
    /// How long after a check another one is not made, in seconds.
    private static let checkInterval: TimeInterval = 60

    /// Whether the structure is sound. Reads the whole database.
    static func isSound(_ db: Database) throws -> Bool {
        try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok"
    }

    /// Checks the database in the background, because something was not as it should be. Does nothing if that was done a short while ago.
    func checkSoon(_ session: DatabaseSession) {
        guard configuration.createsIfMissing else { return }
        let now = configuration.clock.now()
        let isDue = session.lastCheck.withLock { lastCheck in
            if let lastCheck, abs(now.timeIntervalSince(lastCheck)) < Self.checkInterval { return false }
            lastCheck = now
            return true
        }
        if isDue { housekeeping.async { self.check(session) } }
    }

    /// Checks the database, and replaces it if it is damaged. Blocks.
    func check(_ session: DatabaseSession) {
        do {
            let isSound = try session.readers.withReader { reader in try reader.read(Self.isSound) }
            if isSound { return }
            try recover(from: DatabaseError(resultCode: .SQLITE_CORRUPT), on: session, attempt: 1)
        } catch {
            // A closed session needs no check, and damage that stops the check stops the next operation too, which replaces the database.
        }
    }
}
