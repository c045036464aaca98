// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The length of a file, and the disk space that it takes.
struct FileSize: Hashable, Sendable {
    let byteCount: Int
    let allocatedByteCount: Int

    /// `nil` if there is no such file. A link is not followed, and a directory is no file.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return nil }
        byteCount = Int(status.st_size)
        // POSIX leaves the unit open; all systems that Hoard runs on count 512 bytes.
        allocatedByteCount = Int(status.st_blocks) * 512
    }
}
