// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    /// The files of a recording: one that is written, and the older ones before it.
    ///
    /// When a file is full it gets the suffix `.1`, an older `.1` becomes `.2`, and so on; the oldest beyond the allowed number goes.
    struct TraceFiles: ~Copyable {
        private let path: String
        private let maximumByteCount: Int
        private let fileCount: Int
        private var header: TraceFileHeader
        private var file: FileDescriptor
        /// The bytes of the file that is written.
        private var byteCount = 0
        /// The bytes written in all.
        private(set) var writtenByteCount = 0

        /// - Throws: `EEXIST` if there is something at `path`.
        init(path: String, maximumByteCount: Int, fileCount: Int, header: TraceFileHeader) throws(SystemCallError) {
            file = try Self.begin(path, header)
            self.path = path
            self.maximumByteCount = maximumByteCount
            self.fileCount = fileCount
            self.header = header
            byteCount = TraceFileHeader.byteCount
            writtenByteCount = byteCount
        }

        private static func begin(_ path: String, _ header: TraceFileHeader) throws(SystemCallError) -> FileDescriptor {
            let file = try FileDescriptor.creating(path)
            do throws(SystemCallError) {
                try file.write(header.encoded)
            } catch {
                // Without its head it would be no recording.
                _ = try? FileSystem.removeFile(path)
                throw error
            }
            return file
        }

        /// Moves a recording that is at a path out of the way, as an older file. One without a whole head holds no accesses: it is removed, so
        /// that no older file has to go for it.
        ///
        /// - Returns: The first of the recording's paths at which something else is, and nothing has been moved; `nil` if there is none.
        static func makeWay(at path: String, fileCount: Int) throws(SystemCallError) -> String? {
            if let stranger = try stranger(among: path, fileCount: fileCount) { return stranger }
            guard let status = try FileSystem.status(of: path) else { return nil }
            if isCutShort(status) { try FileSystem.removeFile(path) } else { try shift(path, fileCount: fileCount) }
            return nil
        }

        /// Whether a file of a recording has no whole head, as after a full disk.
        static func isCutShort(_ status: FileStatus) -> Bool { status.byteCount < TraceFileHeader.byteCount }

        /// The first of the paths of a recording's files at which something is that is no file of a recording.
        private static func stranger(among path: String, fileCount: Int) throws(SystemCallError) -> String? {
            for number in 0..<fileCount {
                let path = number == 0 ? path : "\(path).\(number)"
                if try !isFree(path) { return path }
            }
            return nil
        }

        /// Whether there is nothing at a path, or a file of a recording, which may be moved. A full disk may have cut its head, even to nothing.
        private static func isFree(_ path: String) throws(SystemCallError) -> Bool {
            guard let status = try FileSystem.status(of: path) else { return true }
            guard status.kind == .file else { return false }
            let beginning = try FileDescriptor.reading(path, followingLinks: false).read(TraceFileHeader.magic.count)
            return TraceFileHeader.magic.starts(with: beginning)
        }

        /// Begins another file if this one has no room for so many bytes. Returns whether it has.
        mutating func makeRoom(for maximumByteCount: Int) throws(SystemCallError) -> Bool {
            guard byteCount + maximumByteCount > self.maximumByteCount, byteCount > TraceFileHeader.byteCount else { return false }
            try rotate()
            return true
        }

        mutating func append(_ block: [UInt8]) throws(SystemCallError) {
            try file.write(block)
            byteCount += block.count
            writtenByteCount += block.count
        }

        /// Gives each file the name of the next older one. The oldest goes.
        private static func shift(_ path: String, fileCount: Int) throws(SystemCallError) {
            guard fileCount > 1 else {
                try FileSystem.removeFile(path)
                return
            }
            for number in stride(from: fileCount - 1, through: 1, by: -1) {
                let newer = number == 1 ? path : "\(path).\(number - 1)"
                if try FileSystem.status(of: newer) != nil { try FileSystem.move(newer, to: "\(path).\(number)") }
            }
        }

        /// - Throws: `EEXIST` if something else has come to one of the paths meanwhile.
        private mutating func rotate() throws(SystemCallError) {
            guard try Self.stranger(among: path, fileCount: fileCount) == nil else { throw SystemCallError.occupied }
            try Self.shift(path, fileCount: fileCount)
            header.number &+= 1
            file = try Self.begin(path, header)
            byteCount = TraceFileHeader.byteCount
            writtenByteCount += byteCount
        }
    }
#endif
