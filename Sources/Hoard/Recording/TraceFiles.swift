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
            try file.write(header.encoded)
            return file
        }

        /// Moves a recording that is at a path out of the way, as an older file.
        static func makeWay(at path: String, fileCount: Int) throws(SystemCallError) {
            guard let status = try FileSystem.status(of: path), status.kind == .file else { return }
            let magic = try FileDescriptor.reading(path, followingLinks: false).read(TraceFileHeader.magic.count)
            if magic == TraceFileHeader.magic { try shift(path, fileCount: fileCount) }
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

        private mutating func rotate() throws(SystemCallError) {
            try Self.shift(path, fileCount: fileCount)
            header.number &+= 1
            file = try Self.begin(path, header)
            byteCount = TraceFileHeader.byteCount
            writtenByteCount += byteCount
        }
    }
#endif
