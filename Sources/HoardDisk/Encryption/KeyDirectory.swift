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

/// The directory that the partitions' keys lie in.
struct KeyDirectory: Sendable {
    let path: String

    /// Whether there is such a directory.
    func exists() throws(StoreError) -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return true }
        guard errno == ENOENT else { throw .system(errno, "open the directory \(path)") }
        return false
    }

    /// Sees to it that the directory exists. If it is made, its mode is 0700 and its name is on the medium.
    func create() throws(StoreError) {
        guard mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return }
            throw .system(errno, "create the directory \(path)")
        }
        // The process's mask may have taken more away than 0700 leaves out.
        guard chmod(path, 0o700) == 0 else { throw .system(errno, "set the mode of the directory \(path)") }
        do throws(SystemCallError) {
            try FileDescriptor.directory("\(path)/..").synchronizeDirectory()
        } catch {
            throw .system(error.number, "write the directory above \(path)")
        }
    }

    /// Runs `body`, with the open directory, while no other process or thread does this for the same directory.
    ///
    /// Blocks for up to five seconds. The kernel drops the lock if the process dies.
    func whileLocked<T>(_ body: (borrowing FileDescriptor) throws(StoreError) -> T) throws(StoreError) -> T {
        let directory: FileDescriptor
        do throws(SystemCallError) {
            directory = try FileDescriptor.directory(path)
        } catch {
            throw .system(error.number, "open the directory \(path)")
        }
        // The lock belongs to this descriptor alone, so threads exclude each other too.
        guard try directory.lock(named: "the directory \(path)") else {
            throw StoreError(.unavailable, "Another process has kept the directory \(path) locked for too long.")
        }
        return try body(directory)
    }
}
