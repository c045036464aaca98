// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Hoard

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files beside the database.
extension Verification {
    /// Looks for files that belong to nothing. Returns `false` if the task was cancelled.
    mutating func verifyFiles() async throws(StoreError) -> Bool {
        // Files whose rows were deleted here are deleted on this queue.
        await core.elsewhere { [core] in core.finishHousekeeping() }
        for folder in UInt8.min...UInt8.max {
            if Task.isCancelled { return false }
            try await verify(folder)
        }
        try await verifyTemporaryFiles()
        return true
    }

    private mutating func verify(_ folder: UInt8) async throws(StoreError) {
        let (orphans, strangers) = try await core.readElsewhere { session in
            let contents = try session.files.contents(ofFolder: folder)
            if contents.names.isEmpty { return (contents.names, contents.strangers) }
            let orphans = try session.readers.withReader { reader in
                try contents.names.filter { name in try session.withRow(of: name.id, on: reader) { $0?.file != name.nonce } }
            }
            return (orphans, contents.strangers)
        }
        if orphans.isEmpty, strangers.isEmpty { return }
        var confirmed = try await core.readElsewhere { [core] session in
            let (confirmed, changes) = try session.confirmOrphans(among: orphans)
            core.announce(changes)
            return confirmed
        }
        // A writer that deletes a row deletes its file a moment later, also in another process.
        while !confirmed.isEmpty, await waitAgain() {
            confirmed = try await core.readElsewhere { [confirmed] session in session.existing(confirmed) }
        }
        guard isRepairing else { return note(.orphanedFile, confirmed.count + strangers.count) }
        if confirmed.isEmpty, strangers.isEmpty { return }
        let abandoned = Set(confirmed)
        let removed = try await repair(0) { transaction in
            try transaction.session.files.removeOrphans(inFolder: folder) { names throws(StoreError) in
                do {
                    return Set(try names.filter { name in try !abandoned.contains(name) || transaction.withRow(name.id) { $0?.file == name.nonce } })
                } catch {
                    throw .database(error)
                }
            }.count
        }
        note(.orphanedFile, removed)
        noteRepair(.orphanedFile, removed)
    }

    /// The longest time for which a file may be there without its row, or without its writer's lock, each time it is looked for: two seconds in all for a whole store.
    private static let wait = Duration.milliseconds(100)

    /// Gives others time to delete a file or to lock it. Returns `false` if there has been enough of that.
    private mutating func waitAgain() async -> Bool {
        guard waitsLeft > 0 else { return false }
        waitsLeft -= 1
        return (try? await Task.sleep(for: Self.wait)) != nil
    }

    private mutating func verifyTemporaryFiles() async throws(StoreError) {
        var names = try await abandonedTemporaryFiles()
        // A file that is just being made is not locked yet.
        while !names.isEmpty, await waitAgain() {
            names.formIntersection(try await abandonedTemporaryFiles())
        }
        note(.temporaryFile, names.count)
        guard isRepairing, !names.isEmpty else { return }
        let removed = try await core.readElsewhere { [names] session in try session.files.sweepTemporaryFiles(names) }
        noteRepair(.temporaryFile, removed.count)
    }

    /// The names of the temporary files without a writer.
    private func abandonedTemporaryFiles() async throws(StoreError) -> Set<String> {
        try await core.readElsewhere { session in try session.files.abandonedTemporaryFiles() }
    }
}

extension DatabaseSession {
    /// Returns those of the files that are there and belong to no record while no process writes.
    ///
    /// A file in place gets its row only at the end of a transaction, so this blocks until the other writers are done. It writes nothing.
    ///
    /// - Returns: The files, and what was learned of other processes' changes.
    func confirmOrphans(among names: [PayloadFileName]) throws -> (orphans: [PayloadFileName], changes: ChangeList) {
        if names.isEmpty { return ([], ChangeList()) }
        let (unknown, changes) = try writer.writeWithoutTransaction { db in
            var unknown: [PayloadFileName] = []
            var changes = ChangeList()
            try db.inTransaction(.immediate) {
                changes = try catchUp(inTransaction: db)
                let lookUp = try RawStatement(DirectoryUpdate.query, on: db)
                let statement = try RawStatement("SELECT file FROM records WHERE place = ? AND IFNULL(id, place) = ?", on: db)
                for name in names {
                    statement.bind(try place(of: name.id, lookUp), at: 1)
                    statement.bind(name.id, at: 2)
                    let isKnown = try statement.step() && UInt64(bitPattern: statement.integer(0)) == name.nonce && !statement.isNull(0)
                    statement.reset()
                    if !isKnown { unknown.append(name) }
                }
                return .rollback
            }
            return (unknown, changes)
        }
        return (existing(unknown), changes)
    }

    /// Those of the files that are there.
    func existing(_ names: [PayloadFileName]) -> [PayloadFileName] {
        names.filter { name in
            do throws(SystemCallError) {
                return try FileSystem.status(of: files.path(of: name)) != nil
            } catch {
                return false
            }
        }
    }
}

extension PayloadFiles {
    /// The names of the temporary files that have no writer any more.
    func abandonedTemporaryFiles() throws(StoreError) -> Set<String> {
        try StoreError.attempt("look for temporary files") { () throws(SystemCallError) in
            var abandoned: Set<String> = []
            for name in try Self.names(inDirectory: temporaryFolder) {
                let path = "\(temporaryFolder)/\(name)"
                // Not a file of Hoard's, or gone meanwhile. A writer holds its file's lock.
                guard try FileSystem.status(of: path)?.kind == .file, let file = Self.opened(path) else { continue }
                if try file.lockWithoutWaiting(), try FileSystem.status(of: path) != nil { abandoned.insert(name) }
            }
            return abandoned
        }
    }

    private static func opened(_ path: String) -> FileDescriptor? {
        do throws(SystemCallError) {
            return try FileDescriptor.reading(path, followingLinks: false)
        } catch {
            return nil
        }
    }
}
