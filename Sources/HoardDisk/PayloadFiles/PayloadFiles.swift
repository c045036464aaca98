// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files that hold the large payloads of a store, beside its database.
///
/// A payload is first written to a temporary file, by any thread. The store then takes the database's lock for writing, which all processes
/// share, puts the file in place, inserts its row and commits; in that order, so that no row is without its file. To remove a record it
/// deletes the row, commits, and removes the file then. A file in place whose row is missing while that lock is held was left by
/// a process that died. No process will ever use it, because its name has a random number in it. ``removeOrphans(inFolder:isKnown:)`` finds
/// such files, and ``sweepTemporaryFiles()`` those that were never put in place.
///
/// All calls block the thread for as long as the disk takes. None keeps anything in memory, so copies of the value are as good.
struct PayloadFiles: Sendable {
    static let folderName = "payloads"
    static let temporaryFolderName = "temporary"

    /// The store's directory.
    let directory: String

    /// Where the files are.
    var root: String { "\(directory)/\(Self.folderName)" }
    var temporaryFolder: String { "\(root)/\(Self.temporaryFolderName)" }

    func path(of name: PayloadFileName) -> String { "\(directory)/\(name.relativePath)" }

    func path(ofFolder folder: UInt8) -> String { "\(root)/\(PayloadFileName.folderName(folder))" }

    /// Makes the directories that are missing, for the process's user alone.
    func prepare() throws(StoreError) {
        try StoreError.attempt("create the directory \(root)") { () throws(SystemCallError) in
            for path in [directory, root, temporaryFolder] { try FileSystem.makeDirectory(path) }
        }
    }
}

// MARK: - Writing

extension PayloadFiles {
    /// Begins a file. Makes the directories again if they have been deleted.
    func makeWriter(sealer: any ChunkSealer) throws(StoreError) -> PayloadFileWriter {
        var attempts = 0
        while true {
            attempts += 1
            let path = "\(temporaryFolder)/\(Hexadecimal.string(.random(in: .min ... .max)))"
            do throws(SystemCallError) {
                if let writer = try Self.makeWriter(path: path, sealer: sealer) { return writer }
            } catch {
                // Further tries can fail only if another process is at work in the directory.
                guard error.number == ENOENT || error.number == EEXIST, attempts < 10 else { throw .system(error.number, "create a payload's file") }
                if error.number == ENOENT { try prepare() }
            }
        }
    }

    /// Returns `nil` if a sweep has taken the file between its creation and its lock.
    private static func makeWriter(path: String, sealer: any ChunkSealer) throws(SystemCallError) -> PayloadFileWriter? {
        let file = try FileDescriptor.creating(path)
        do throws(SystemCallError) {
            guard try file.lockWithoutWaiting() else { return nil }
            let status = try file.status()
            guard status.linkCount > 0 else { return nil }
            if status.permissions != 0o600 { try file.setMode(0o600) }
        } catch {
            _ = try? FileSystem.removeFile(path)
            throw error
        }
        return PayloadFileWriter(file: file, path: path, sealer: sealer)
    }

    /// Gives a finished file its name.
    ///
    /// Call it while the database is locked for writing, and commit the row afterwards. If it fails, the file stays the writer's. If the file was
    /// synchronized, so is its name when this returns.
    func place(_ writer: PayloadFileWriter, as name: PayloadFileName) throws(StoreError) {
        try writer.place { (path, isSynchronized) throws(StoreError) in
            try StoreError.attempt("put a payload's file in place") { () throws(SystemCallError) in
                let newPath = self.path(of: name)
                let folder = self.path(ofFolder: name.folder)
                var folderIsNew = false
                do throws(SystemCallError) {
                    try FileSystem.move(path, to: newPath)
                } catch {
                    guard error.number == ENOENT else { throw error }
                    folderIsNew = true
                    try FileSystem.makeDirectory(folder)
                    try FileSystem.move(path, to: newPath)
                }
                guard isSynchronized else { return }
                try FileDescriptor.directory(folder).synchronizeDirectory()
                if folderIsNew { try FileDescriptor.directory(root).synchronizeDirectory() }
            }
        }
    }

    /// Whether a file is in its place. One that cannot be looked at is not.
    func hasFile(_ name: PayloadFileName) -> Bool { (try? FileSystem.status(of: path(of: name)))?.map { $0.kind == .file } ?? false }

    /// Removes a file. Does nothing if there is none. Call it after the commit that deleted the file's row.
    func remove(_ name: PayloadFileName) throws(StoreError) {
        try StoreError.attempt("remove a payload's file") { () throws(SystemCallError) in
            do throws(SystemCallError) {
                try FileSystem.removeFile(path(of: name))
            } catch {
                guard error.number == ENOTDIR else { throw error }
            }
        }
    }
}

// MARK: - Reading

extension PayloadFiles {
    /// Opens a file to read ranges of it, and verifies its table.
    ///
    /// - Parameters:
    ///   - byteCount: The length of the payload, from the record's row.
    ///   - root: The root that the writer returned, from the record's row.
    /// - Throws: ``StoreError`` if the system refuses, because the process has too many files open for example.
    func open(
        _ name: PayloadFileName,
        byteCount: Int,
        root: UInt64,
        sealer: any ChunkSealer
    ) throws(StoreError) -> PayloadFileLookup<PayloadFileReader> {
        guard let layout = PayloadFileLayout(byteCount: byteCount, tagByteCount: sealer.tagByteCount) else { return .damaged }
        return try PayloadFileLookup { () throws(PayloadFileFault) in
            try PayloadFileReader(path: path(of: name), layout: layout, root: root, sealer: sealer)
        }
    }

    /// The whole payload of a file, verified. Parameters and errors are those of ``open(_:byteCount:root:sealer:)``.
    func read(
        _ name: PayloadFileName,
        byteCount: Int,
        root: UInt64,
        sealer: any ChunkSealer
    ) throws(StoreError) -> PayloadFileLookup<Data> {
        guard let layout = PayloadFileLayout(byteCount: byteCount, tagByteCount: sealer.tagByteCount) else { return .damaged }
        return try PayloadFileLookup { () throws(PayloadFileFault) in
            try PayloadFileReader.payload(path: path(of: name), layout: layout, root: root, sealer: sealer)
        }
    }
}
