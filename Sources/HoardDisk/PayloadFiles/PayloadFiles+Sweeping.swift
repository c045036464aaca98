// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The number and the length of the files that were removed.
struct RemovedFiles: Hashable, Sendable {
    var count = 0
    /// The lengths of the files together.
    var byteCount = 0
}

extension PayloadFiles {
    /// The contents of a folder.
    struct FolderContents: Hashable, Sendable {
        var names: [PayloadFileName] = []
        /// The names that no payload file has there.
        var strangers: [String] = []
    }

    /// Removes the temporary files whose writers are gone, of this process and others. Any thread may call it at any time.
    ///
    /// - Parameter wanted: The names of the files to look at; `nil`: all.
    func sweepTemporaryFiles(_ wanted: Set<String>? = nil) throws(StoreError) -> RemovedFiles {
        try StoreError.attempt("remove temporary files") { () throws(SystemCallError) in
            var removed = RemovedFiles()
            for name in try Self.names(inDirectory: temporaryFolder) where wanted?.contains(name) ?? true {
                try Self.removeIfAbandoned("\(temporaryFolder)/\(name)", &removed)
            }
            return removed
        }
    }

    private static func removeIfAbandoned(_ path: String, _ removed: inout RemovedFiles) throws(SystemCallError) {
        let file: FileDescriptor
        do throws(SystemCallError) {
            file = try FileDescriptor.reading(path, followingLinks: false)
        } catch {
            // It has been put in place meanwhile, or it is not Hoard's.
            if [ENOENT, ELOOP, ENXIO, EACCES].contains(error.number) { return }
            throw error
        }
        let status = try file.status()
        // The lock is held until the file is gone, so a writer that has just created it notices.
        guard status.kind == .file, try file.lockWithoutWaiting(), try FileSystem.removeFile(path) else { return }
        removed.count += 1
        removed.byteCount += status.byteCount
    }

    /// The names of the files in place in one of the 256 folders, in no order.
    func names(inFolder folder: UInt8) throws(StoreError) -> [PayloadFileName] {
        try contents(ofFolder: folder).names
    }

    func contents(ofFolder folder: UInt8) throws(StoreError) -> FolderContents {
        try StoreError.attempt("list payloads") { () throws(SystemCallError) in
            var contents = FolderContents()
            for fileName in try Self.names(inDirectory: path(ofFolder: folder)) {
                if let name = PayloadFileName(fileName: fileName, inFolder: folder) {
                    contents.names.append(name)
                } else {
                    contents.strangers.append(fileName)
                }
            }
            return contents
        }
    }

    /// Removes the files of a folder that no row knows, and those that have no payload file's name. Directories are left alone.
    ///
    /// - Parameter isKnown: Returns those of the names that have rows. It must look while it holds the database's lock for writing, because
    ///   a file in place gets its row only at the end of the transaction that put it there. The folder has been listed before; files that are
    ///   put in place later are not touched. Not called if the folder has no payload files.
    func removeOrphans(
        inFolder folder: UInt8,
        isKnown: ([PayloadFileName]) throws(StoreError) -> Set<PayloadFileName>
    ) throws(StoreError) -> RemovedFiles {
        let contents = try contents(ofFolder: folder)
        let known = contents.names.isEmpty ? [] : try isKnown(contents.names)
        let orphans = contents.names.filter { !known.contains($0) }.map(\.fileName)
        return try remove(orphans + contents.strangers, inFolder: folder)
    }

    /// Removes all files in place, and the temporary files whose writers are gone. Call it while the database, which has no rows any more,
    /// is locked for writing, so that no file is put in place meanwhile.
    @discardableResult
    func removeAll() throws(StoreError) -> RemovedFiles {
        var removed = try sweepTemporaryFiles()
        for folder in UInt8.min...UInt8.max {
            let contents = try contents(ofFolder: folder)
            let removedHere = try remove(contents.names.map(\.fileName) + contents.strangers, inFolder: folder)
            removed.count += removedHere.count
            removed.byteCount += removedHere.byteCount
        }
        return removed
    }

    private func remove(_ fileNames: [String], inFolder folder: UInt8) throws(StoreError) -> RemovedFiles {
        guard !fileNames.isEmpty else { return RemovedFiles() }
        return try StoreError.attempt("remove payloads") { () throws(SystemCallError) in
            var removed = RemovedFiles()
            for fileName in fileNames {
                let path = "\(path(ofFolder: folder))/\(fileName)"
                guard let status = try FileSystem.status(of: path), status.kind != .directory, try FileSystem.removeFile(path) else { continue }
                removed.count += 1
                removed.byteCount += status.byteCount
            }
            return removed
        }
    }

    /// The names in a directory, which need not exist.
    static func names(inDirectory path: String) throws(SystemCallError) -> [String] {
        do throws(SystemCallError) {
            return try FileSystem.names(inDirectory: path)
        } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return [] }
            throw error
        }
    }
}
