// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    /// The status of a file, as the system reports it.
    package struct FileStatus: Hashable, Sendable {
        package let kind: FileDescriptor.Kind
        /// The length in bytes.
        package let byteCount: Int
        /// The number of names that the file has.
        package let linkCount: Int
        /// The mode without the kind.
        package let permissions: UInt16

        fileprivate init(_ status: stat) {
            kind = FileDescriptor.Kind(status)
            byteCount = Int(status.st_size)
            linkCount = Int(status.st_nlink)
            permissions = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
        }
    }

    extension FileDescriptor {
        package func status() throws(SystemCallError) -> FileStatus {
            var status = stat()
            try Self.retrying { fstat(number, &status) }
            return FileStatus(status)
        }

        /// Creates an empty file at `path` with mode 0600, less the bits of the process's mask, and opens it for writing.
        /// Fails with `EEXIST` if there is something at `path`, be it a link that leads nowhere.
        package static func creating(_ path: String) throws(SystemCallError) -> FileDescriptor {
            try FileDescriptor { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        }

        /// Locks the file until the descriptor is closed, against other descriptors of this process too. Returns `false` if another has it.
        package func lockWithoutWaiting() throws(SystemCallError) -> Bool {
            do throws(SystemCallError) {
                try Self.retrying { flock(number, LOCK_EX | LOCK_NB) }
                return true
            } catch {
                guard error.number == EWOULDBLOCK else { throw error }
                return false
            }
        }

        /// Opens a file to be locked, with mode 0600 if it has to be created.
        package static func locking(_ path: String, creating: Bool) throws(SystemCallError) -> FileDescriptor {
            try FileDescriptor { open(path, O_RDWR | O_CLOEXEC | (creating ? O_CREAT : 0), 0o600) }
        }

        /// Locks the file as ``lockWithoutWaiting()`` does, and waits for up to five seconds. Returns `false` if another has it all the while.
        package func lock() throws(SystemCallError) -> Bool {
            for _ in 0..<1000 {
                if try lockWithoutWaiting() { return true }
                usleep(5000)
            }
            return false
        }
    }

    /// Names in the file system. All calls block the thread for as long as the disk takes.
    package enum FileSystem {
        /// The status of the item at `path`, links not followed; `nil` if there is none.
        package static func status(of path: String) throws(SystemCallError) -> FileStatus? {
            var status = stat()
            do throws(SystemCallError) {
                try FileDescriptor.retrying { lstat(path, &status) }
            } catch {
                if error.isNotFound { return nil }
                throw error
            }
            return FileStatus(status)
        }

        /// Makes a directory with mode 0700, whatever the process's mask says. Returns `false` if there was something at `path`.
        @discardableResult
        package static func makeDirectory(_ path: String) throws(SystemCallError) -> Bool {
            do throws(SystemCallError) {
                try FileDescriptor.retrying { mkdir(path, 0o700) }
            } catch {
                if error.number == EEXIST { return false }
                throw error
            }
            try FileDescriptor.retrying { chmod(path, 0o700) }
            return true
        }

        /// Gives a file another path, and takes that path from whatever file has it.
        package static func move(_ path: String, to newPath: String) throws(SystemCallError) {
            try FileDescriptor.retrying { rename(path, newPath) }
        }

        /// Returns `false` if there was no file.
        @discardableResult
        package static func removeFile(_ path: String) throws(SystemCallError) -> Bool {
            do throws(SystemCallError) {
                try FileDescriptor.retrying { unlink(path) }
                return true
            } catch {
                guard error.isNotFound else { throw error }
                return false
            }
        }

        /// The names in a directory, in no order. One that is not UTF-8 is left out.
        package static func names(inDirectory path: String) throws(SystemCallError) -> [String] {
            guard let stream = opendir(path) else { throw .last }
            defer { closedir(stream) }
            var names: [String] = []
            while true {
                // The end and a failure look the same but for the number.
                errno = 0
                guard let entry = readdir(stream) else { break }
                // The record is only as long as its name, so the structure must not be copied.
                guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
                let start = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
                guard let name = String(validatingCString: start), name != ".", name != ".." else { continue }
                names.append(name)
            }
            guard errno == 0 else { throw .last }
            return names
        }
    }
#endif
