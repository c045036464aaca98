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

/// The identity of the file to which a path led at some moment.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var number: UInt64
}

/// A store's directory and the files in it, all of which have fixed names.
struct DiskDirectory: Sendable {
    static let databaseName = "hoard.sqlite"
    static let lockName = "hoard.lock"
    /// The suffixes of the files that SQLite may have beside the database.
    static let companionSuffixes = ["-wal", "-shm", "-journal"]

    let path: String

    /// - Parameter path: The path as the user gave it. Slashes at its end do not matter.
    init(path: String) throws(StoreError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.unavailable, "The path of the cache directory is empty or contains a NUL character.")
        }
        var path = path[...]
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        self.path = String(path)
    }

    var databasePath: String { path(of: Self.databaseName) }

    func path(of name: String) -> String {
        path == "/" ? "/\(name)" : "\(path)/\(name)"
    }
}

extension DiskDirectory {
    /// Sees to it that the directory exists and that the process can work in it.
    func prepare(creating: Bool) throws(StoreError) {
        if creating {
            try Self.createDirectory(path)
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { throw StoreError(.unavailable, "There is no Hoard cache in \(path).") }
            throw .system(errno, "open the directory \(path)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw StoreError(.notADirectory, "The cache cannot be kept in \(path), because that is not a directory.")
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else { throw .system(errno, "read and write the directory \(path)") }
    }

    /// Creates a directory and the parents it lacks, with mode 0700. One that exists is left alone.
    private static func createDirectory(_ path: String) throws(StoreError) {
        if try createDirectoryIfParentExists(path) { return }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
            throw .system(ENOENT, "create the directory \(path)")
        }
        try createDirectory(String(path[..<slash]))
        guard try createDirectoryIfParentExists(path) else { throw .system(ENOENT, "create the directory \(path)") }
    }

    /// Returns `false` if the parent does not exist, and `true` if the directory now does.
    private static func createDirectoryIfParentExists(_ path: String) throws(StoreError) -> Bool {
        guard mkdir(path, 0o700) == 0 else {
            switch errno {
            case EEXIST: return true
            case ENOENT: return false
            default: throw .system(errno, "create the directory \(path)")
            }
        }
        // The process's mask may have taken more away than 0700 leaves out.
        guard chmod(path, 0o700) == 0 else { throw .system(errno, "set the mode of the directory \(path)") }
        return true
    }

    /// The identity of the database's present file; `nil` if there is none.
    var databaseIdentity: FileIdentity? {
        var status = stat()
        guard stat(databasePath, &status) == 0 else { return nil }
        return FileIdentity(device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
    }

    /// The length of the database file; `nil` if there is none.
    func databaseByteCount() throws(StoreError) -> Int? {
        var status = stat()
        guard stat(databasePath, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .system(errno, "open \(databasePath)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.foreign, "The cache cannot use \(databasePath), because that is not a file.")
        }
        return Int(status.st_size)
    }

    /// Creates an empty database file with mode 0600 if there is none. SQLite gives its other files the mode of this one.
    func createDatabaseFile() throws(StoreError) {
        let descriptor = open(databasePath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return }
            throw .system(errno, "create \(databasePath)")
        }
        // The file did not exist, so no connection can have a lock on it that closing would drop.
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw .system(errno, "set the mode of \(databasePath)") }
    }

    /// The number of bytes that the file system has left for this user; `nil` if it does not tell.
    var availableByteCount: Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflowed) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return overflowed ? .max : bytes
    }

    func checkDatabaseAccess() throws(StoreError) {
        guard access(databasePath, R_OK | W_OK) == 0 else { throw .system(errno, "read and write \(databasePath)") }
    }

    /// Takes the permissions on the database files away from all users but their owner.
    func restrictDatabaseFiles() {
        for suffix in [""] + Self.companionSuffixes {
            var status = stat()
            let path = databasePath + suffix
            if stat(path, &status) == 0, status.st_mode & 0o777 != 0o600 {
                // Fails if another user owns the file. Its mode is that user's decision then.
                _ = chmod(path, 0o600)
            }
        }
    }

    /// Runs `body` while no other process, and no other store in this one, opens or replaces the database of this directory.
    ///
    /// Blocks for up to five seconds. The kernel drops the lock if the process dies.
    func whileLocked<T>(creating: Bool, _ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        let lockPath = path(of: Self.lockName)
        let lock: FileDescriptor
        do throws(SystemCallError) {
            lock = try FileDescriptor.locking(lockPath, creating: creating)
        } catch {
            if !creating, error.number == ENOENT { return try body() }
            throw .system(error.number, "open \(lockPath)")
        }
        guard try lock.lock(named: lockPath) else {
            throw StoreError(.unavailable, "Another process has been opening the cache in \(path) for too long.")
        }
        return try body()
    }
}

extension FileDescriptor {
    /// Locks a file or directory, and waits for up to five seconds. Returns `false` if another has it all the while.
    func lock(named name: String) throws(StoreError) -> Bool {
        do throws(SystemCallError) {
            return try lock()
        } catch {
            throw .system(error.number, "lock \(name)")
        }
    }
}
