// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CSegments

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An open file that is read and written at offsets. It is never mapped: an I/O error would be a signal that ends the process.
final class DataFile: Sendable {
    let path: String
    private let descriptor: Int32

    init(path: String, creating: Bool) throws(SegmentError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC | (creating ? O_CREAT : 0), 0o600)
        guard descriptor >= 0 else { throw SegmentError("\(path) cannot be opened", code: errno) }
    }

    deinit { _ = close(descriptor) }

    /// Reads as many bytes as there are, at most the buffer's.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SegmentError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset + done))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw SegmentError("\(path) cannot be read", code: errno)
            }
            done += count
        }
        return done
    }

    /// Reads into two buffers with one call.
    ///
    /// - Returns: Whether both have been filled.
    func read(into first: UnsafeMutableRawBufferPointer, _ second: UnsafeMutableRawBufferPointer, at offset: Int) throws(SegmentError) -> Bool {
        let wanted = first.count + second.count
        let count = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
            parts[0] = iovec(iov_base: first.baseAddress, iov_len: first.count)
            parts[1] = iovec(iov_base: second.baseAddress, iov_len: second.count)
            return preadv(descriptor, parts.baseAddress, 2, off_t(offset))
        }
        if count == wanted { return true }
        // A signal or the end of the file came between.
        guard try read(into: first, at: offset) == first.count else { return false }
        return try read(into: second, at: offset + first.count) == second.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SegmentError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if count < 0 {
                if errno == EINTR { continue }
                throw SegmentError("\(path) cannot be written", code: errno)
            }
            done += count
        }
    }

    /// Begins to write these bytes to the device, so that the kernel does not have to write them all at once later.
    func beginWriteback(from offset: Int, byteCount: Int) {
        segments_begin_writeback(descriptor, Int64(offset), Int64(byteCount))
    }

    /// Waits until the device has it.
    func synchronize() throws(SegmentError) {
        #if os(Linux)
            let status = fdatasync(descriptor)
        #else
            let status = fsync(descriptor)
        #endif
        guard status == 0 else { throw SegmentError("\(path) cannot be synchronized", code: errno) }
    }

    /// Waits until the device has the names of a directory's files.
    static func synchronize(directory: String) throws(SegmentError) {
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SegmentError("\(directory) cannot be opened", code: errno) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SegmentError("\(directory) cannot be synchronized", code: errno) }
    }

    func truncate(to byteCount: Int) throws(SegmentError) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw SegmentError("\(path) cannot be cut", code: errno) }
    }

    func byteCount() throws(SegmentError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SegmentError("\(path) cannot be examined", code: errno) }
        return Int(status.st_size)
    }

    /// Keeps other processes out, as long as this one has the file open.
    func lock() throws(SegmentError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SegmentError("\(path) is in use by another process", code: errno) }
    }

    func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Tells the kernel that reads come in no order.
    func expectRandomReads() {
        #if os(Linux)
            _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM)
        #endif
    }

    func delete() throws(SegmentError) { try Self.delete(path) }

    static func delete(_ path: String) throws(SegmentError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SegmentError("\(path) cannot be deleted", code: errno) }
    }
}
