// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    /// Bytes that are kept in a file between two runs of a process, with a checksum around them.
    ///
    /// A reader gets exactly the bytes that a writer gave, or an error. The checksum finds accidents; it does not protect against
    /// forgery. Both calls block the thread for as long as the disk takes.
    package enum SnapshotFile {
        /// Puts a snapshot at `path`, in the place of a file that may be there.
        ///
        /// A reader gets the old snapshot or the new one, whole. This holds during the call, and also after the machine has lost its
        /// power. The bytes go into a temporary file in the same directory, on to the medium, and then take the name. If that fails,
        /// the temporary file is removed and the old file is as it was. If the process is killed on the way, a file stays behind
        /// whose name begins with `.hoard-` and ends with `.tmp`.
        ///
        /// The file belongs to the process's user alone (mode 0600), whatever the old one's mode was. A symbolic link at `path` is
        /// replaced itself, and its target is left alone. The directory must exist. Of two writers at the same time the
        /// last wins.
        ///
        /// - Parameter schema: Names the shape of the payload, such as `"cache/1"`. At most 1,024 bytes of UTF-8.
        /// - Throws: ``SnapshotError/Code/notAFile`` if at `path` is a directory, a pipe or a device; ``SnapshotError/Code/io``. If the new name
        ///   cannot be confirmed to be on the medium, the error says so, and the file is the new one.
        package static func write(_ payload: [UInt8], schema: String, to path: String) throws(SnapshotError) {
            let (directoryPath, name) = try split(path)
            let header = SnapshotHeader.encoded(schema: schema, payloadByteCount: payload.count)
            let directory = try attempt("open the directory \(directoryPath)") { () throws(SystemCallError) in
                try FileDescriptor.directory(directoryPath)
            }
            let oldKind = try attempt("write the snapshot \(path)") { () throws(SystemCallError) in try directory.kind(ofEntry: name) }
            guard oldKind != .directory, oldKind != .other else {
                throw SnapshotError(.notAFile, "The snapshot cannot be written to \(path), because that is not a file.")
            }
            try attempt("write the snapshot \(path)") { () throws(SystemCallError) in
                try replaceFile(name, in: directory) { (file) throws(SystemCallError) in
                    try file.write(header)
                    try file.write(payload)
                    try file.write(SnapshotHeader.encodedChecksum(header: header, payload: payload))
                }
            }
            try attempt("make sure that the new snapshot \(path) would survive a power failure") { () throws(SystemCallError) in
                try directory.synchronizeDirectory()
            }
        }

        /// How many bytes of a file are not its payload.
        package static func byteCount(aroundPayloadOf schema: String) -> Int {
            SnapshotHeader.fixedByteCount + schema.utf8.count + SnapshotHeader.checksumByteCount
        }

        /// The payload of the snapshot at `path`. A symbolic link is followed.
        ///
        /// Allocates no more than the file is long, whatever the file says of itself, and never more than `maximumBytes` and
        /// 2 KiB.
        ///
        /// - Parameter maximumBytes: How long the payload may be.
        /// - Throws: ``SnapshotError``, with every code that there is. A file that is not whole is ``SnapshotError/Code/corrupt`` even if
        ///   its schema is another.
        package static func read(path: String, schema: String, maximumBytes: Int) throws(SnapshotError) -> [UInt8] {
            let file = try open(path)
            let action = "read the snapshot \(path)"
            guard try attempt(action, { () throws(SystemCallError) in try file.kind() }) == .file else {
                throw SnapshotError(.notAFile, "There is no snapshot at \(path), because that is not a file.")
            }
            let fileByteCount = try attempt(action) { () throws(SystemCallError) in try file.byteCount() }
            var before = try attempt(action) { () throws(SystemCallError) in try file.read(SnapshotHeader.fixedByteCount) }
            let header = try SnapshotHeader(decoding: before, path: path)
            // The true length confirms the lengths in the header before anything is allocated by them.
            guard header.fileByteCount == fileByteCount else { throw .corrupt(path) }
            guard header.payloadByteCount <= maximumBytes else {
                throw SnapshotError(.tooLarge, "The snapshot \(path) holds \(header.payloadByteCount) bytes; at most \(maximumBytes) are allowed.")
            }
            before += try attempt(action) { () throws(SystemCallError) in try file.read(header.schemaByteCount) }
            let payload = try attempt(action) { () throws(SystemCallError) in try file.read(header.payloadByteCount) }
            // One byte more, to see that the file has not grown.
            let checksum = try attempt(action) { () throws(SystemCallError) in try file.read(SnapshotHeader.checksumByteCount + 1) }
            guard checksum == SnapshotHeader.encodedChecksum(header: before, payload: payload) else { throw .corrupt(path) }
            guard before.dropFirst(SnapshotHeader.fixedByteCount).elementsEqual(schema.utf8) else {
                throw SnapshotError(.wrongSchema, "The snapshot \(path) was not written by a cache of this kind.")
            }
            return payload
        }

        private static func open(_ path: String) throws(SnapshotError) -> FileDescriptor {
            _ = try split(path)
            do throws(SystemCallError) {
                return try FileDescriptor.reading(path)
            } catch {
                if error.isNotFound { throw SnapshotError(.notFound, "There is no snapshot at \(path).", underlyingError: error) }
                throw .system(error, "open the snapshot \(path)")
            }
        }

        /// Puts a new file in the place of the one that has `name`, once `fill` has written it and it is on the medium.
        /// Leaves no other file.
        static func replaceFile(
            _ name: String,
            in directory: borrowing FileDescriptor,
            fill: (borrowing FileDescriptor) throws(SystemCallError) -> Void
        ) throws(SystemCallError) {
            // With 64 random bits no other name is the same; if one were, the file would not be created.
            let temporaryName = ".hoard-\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp"
            let file = try directory.createFile(temporaryName)
            do throws(SystemCallError) {
                try file.setMode(0o600)
                try fill(file)
                try file.synchronize()
                try file.closeReportingErrors()
                try directory.renameEntry(temporaryName, to: name)
            } catch {
                try? directory.removeFile(temporaryName)
                throw error
            }
        }

        /// The directory and the name in it that a path leads to.
        private static func split(_ path: String) throws(SnapshotError) -> (directory: String, name: String) {
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw SnapshotError(.io, "The path of the snapshot is empty or contains a NUL character.")
            }
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
            let name = String(path[(slash.map(path.utf8.index(after:)) ?? path.startIndex)...])
            guard !name.isEmpty, name != ".", name != ".." else {
                throw SnapshotError(.notAFile, "The path \(path) is that of a directory, not that of a snapshot.")
            }
            guard let slash else { return (".", name) }
            return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
        }

        /// Runs `body` and turns its error into a sentence.
        ///
        /// - Parameter action: The action of `body`, as the end of a sentence: "open …".
        private static func attempt<Result: ~Copyable>(
            _ action: @autoclosure () -> String,
            _ body: () throws(SystemCallError) -> Result
        ) throws(SnapshotError) -> Result {
            do throws(SystemCallError) {
                return try body()
            } catch {
                throw .system(error, action())
            }
        }
    }
#endif
