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
    /// An open file or directory. It is closed when the value goes out of scope.
    ///
    /// All calls block the thread for as long as the disk takes. Those that a signal interrupts are made again.
    package struct FileDescriptor: ~Copyable, Sendable {
        /// The kind of item that a path leads to.
        package enum Kind: Hashable, Sendable { case file, directory, symbolicLink, other }

        /// The system's number for it, for the calls in this folder.
        let number: Int32

        init(retryingAfterInterrupts open: () -> Int32) throws(SystemCallError) {
            number = try Self.retrying(open)
        }

        deinit { _ = close(number) }

        /// Opens the file at `path` for reading. Never waits for the other end of a pipe.
        ///
        /// - Parameter followingLinks: If `false`, a symbolic link at `path` is the error `ELOOP`.
        package static func reading(_ path: String, followingLinks: Bool = true) throws(SystemCallError) -> FileDescriptor {
            try FileDescriptor { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followingLinks ? 0 : O_NOFOLLOW)) }
        }

        /// Opens a file that exists for writing at its beginning. Never waits for the other end of a pipe.
        package static func writing(_ path: String) throws(SystemCallError) -> FileDescriptor {
            try FileDescriptor { open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        }

        /// Opens a directory, for the calls that work on names in it.
        package static func directory(_ path: String) throws(SystemCallError) -> FileDescriptor {
            try FileDescriptor { open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY) }
        }

        /// Closes the descriptor and says whether the system had put off an error of an earlier write.
        package consuming func closeReportingErrors() throws(SystemCallError) {
            let number = number
            discard self
            // After an interrupt the descriptor is gone on Linux and Darwin, so the call is not made again.
            guard close(number) == 0 || errno == EINTR else { throw .last }
        }
    }

    extension FileDescriptor {
        package func kind() throws(SystemCallError) -> Kind {
            try status().kind
        }

        /// The length of the file in bytes. Files that the kernel makes up as they are read have length 0.
        package func byteCount() throws(SystemCallError) -> Int {
            try status().byteCount
        }

        /// Reads `count` bytes, or fewer if the file ends before. Allocates `count` bytes at once.
        package func read(_ count: Int) throws(SystemCallError) -> [UInt8] {
            var failure: SystemCallError?
            let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, filledCount in
                do throws(SystemCallError) {
                    while filledCount < max(count, 0) {
                        let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filledCount..<count])
                        let step = try Self.retrying { readBytes(number, rest.baseAddress, min(rest.count, Self.largestTransfer)) }
                        if step == 0 { break }
                        filledCount += step
                    }
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            return bytes
        }

        /// Writes all of `bytes`, in as many steps as the system asks for.
        package func write(_ bytes: borrowing [UInt8]) throws(SystemCallError) {
            var writtenCount = 0
            while writtenCount < bytes.count {
                let step = try Self.retrying {
                    bytes.withUnsafeBytes { bytes in
                        let rest = UnsafeRawBufferPointer(rebasing: bytes[writtenCount...])
                        return writeBytes(number, rest.baseAddress, min(rest.count, Self.largestTransfer))
                    }
                }
                // A regular file never accepts nothing; a device that does would keep the loop going for ever.
                guard step > 0 else { throw SystemCallError(EIO) }
                writtenCount += step
            }
        }

        /// Sets the permissions, whatever the process's mask says.
        package func setMode(_ mode: UInt16) throws(SystemCallError) {
            try Self.retrying { fchmod(number, mode_t(mode)) }
        }

        /// Returns when the written bytes are on the medium.
        package func synchronize() throws(SystemCallError) {
            #if canImport(Darwin)
                // Darwin's fsync leaves the bytes in the drive's own cache. Not every file system knows the stronger call.
                if fcntl(number, F_FULLFSYNC) == 0 { return }
            #endif
            try Self.retrying { fsync(number) }
        }

        /// Like ``synchronize()``, for a directory. File systems that cannot do it for directories keep names in order themselves.
        package func synchronizeDirectory() throws(SystemCallError) {
            do throws(SystemCallError) {
                try synchronize()
            } catch {
                guard error.number == EINVAL || error.number == ENOTSUP else { throw error }
            }
        }

        /// Makes a call until it is not interrupted by a signal, and throws if it returns a negative number.
        @discardableResult
        static func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemCallError) -> Result {
            while true {
                let result = call()
                if result >= 0 { return result }
                guard errno == EINTR else { throw .last }
            }
        }

        /// Linux transfers at most this many bytes at once, and Darwin refuses to be asked for more.
        static var largestTransfer: Int { 0x7fff_f000 }
    }

    /// Names in an open directory. They hold even if another process renames the directory meanwhile.
    extension FileDescriptor {
        /// The kind of item that `name` leads to, links not followed; `nil` if there is none.
        package func kind(ofEntry name: String) throws(SystemCallError) -> Kind? {
            var status = stat()
            do throws(SystemCallError) {
                try Self.retrying { fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) }
            } catch {
                if error.number == ENOENT { return nil }
                throw error
            }
            return Kind(status)
        }

        /// Creates an empty file that only the process's user may open, and opens it for writing. Fails with `EEXIST` if the name is taken.
        package func createFile(_ name: String) throws(SystemCallError) -> FileDescriptor {
            try FileDescriptor { openat(number, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        }

        /// Gives an entry another name, and takes that name from the file that has it, unless that is a directory.
        package func renameEntry(_ name: String, to newName: String) throws(SystemCallError) {
            try Self.retrying { renameat(number, name, number, newName) }
        }

        package func removeFile(_ name: String) throws(SystemCallError) {
            try Self.retrying { unlinkat(number, name, 0) }
        }
    }

    extension FileDescriptor.Kind {
        init(_ status: stat) {
            self =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .directory
                case S_IFLNK: .symbolicLink
                default: .other
                }
        }
    }

    /// The functions of the C library, under names that ``FileDescriptor``'s own methods do not hide.
    private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        read(descriptor, buffer, count)
    }

    private func writeBytes(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
        write(descriptor, buffer, count)
    }
#endif
