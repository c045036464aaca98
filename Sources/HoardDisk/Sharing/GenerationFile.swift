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

/// A number in a file of eight bytes, by which a process learns with one system call whether another one has written.
///
/// The number is even while no process writes. A transaction makes it odd before it commits, and even again, and greater, after. So a number
/// that is even and known means that nothing has been committed since it was known. The number never goes back. A process that dies in between
/// leaves it odd until another process writes; one that only reads has an empty transaction run after a second
/// (``DatabaseSession/hasUnfinishedCommit(at:)``). Only speed depends on the file's contents: with any number but the known one, a process asks the
/// database.
///
/// The file is not mapped into memory, because a mapped file that another program truncates kills the process.
final class GenerationFile: Sendable {
    static let name = "hoard.generation"
    /// A number that no process makes its own: the file begins in the lowest quarter.
    static let none = UInt64.max

    private let descriptor: CInt

    /// Opens the file, and creates it if need be. `nil` if there is none and it may not be created.
    init?(path: String, creating: Bool) throws(StoreError) {
        descriptor = open(path, O_RDWR | O_CLOEXEC | (creating ? O_CREAT : 0), 0o600)
        if descriptor < 0 {
            if !creating { return nil }
            throw .system(errno, "open \(path)")
        }
        if creating, read() == nil { write(UInt64.random(in: 0...(.max / 4)) & ~1) }
    }

    deinit { close(descriptor) }

    /// The number now; `nil` if the file has none.
    func read() -> UInt64? {
        var value: UInt64 = 0
        let count = withUnsafeMutableBytes(of: &value) { pread(descriptor, $0.baseAddress, 8, 0) }
        return count == 8 ? UInt64(littleEndian: value) : nil
    }

    /// Writes the number. Whether it could be written does not matter much: a reader that finds another number asks the database.
    func write(_ value: UInt64) {
        var value = value.littleEndian
        _ = withUnsafeBytes(of: &value) { pwrite(descriptor, $0.baseAddress, 8, 0) }
    }

    /// Writes `successor` if the number is still `value`: if no other transaction has begun since that was written. Returns whether it was.
    func advance(from value: UInt64, to successor: UInt64) -> Bool {
        guard lock() else { return false }
        defer { unlock() }
        guard read() == value else { return false }
        write(successor)
        return true
    }

    /// Writes an odd number that none of those before has been, and returns it. Call while no other process commits.
    func begin() -> UInt64 {
        // Without the lock, a process that was stopped in ``advance(from:to:)`` could undo this when it goes on.
        let isLocked = lock()
        defer { if isLocked { unlock() } }
        let now = read() ?? UInt64.random(in: 0...(.max / 4)) & ~1
        let odd = (now | 1) &+ (now & 1 == 1 ? 2 : 0)
        write(odd)
        return odd
    }

    /// Keeps other processes from changing the number, for as long as two system calls take. Gives up after some milliseconds.
    private func lock() -> Bool {
        for attempt in 0..<100 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            if attempt > 10 { usleep(100) }
        }
        return false
    }

    private func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Whether the file has been deleted, so that other processes use another one.
    var isGone: Bool {
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_nlink == 0
    }
}
