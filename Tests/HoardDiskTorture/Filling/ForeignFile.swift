// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that does not belong to the store and takes its space.
final class ForeignFile {
    private let path: String
    private let descriptor: CInt
    private(set) var byteCount = 0

    init(_ path: String) throws(SystemFailure) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure("create \(path)", number: errno) }
    }

    deinit {
        closeDescriptor(descriptor)
    }

    /// Grows by as much as the file system gives, up to `limit` bytes. Returns whether the file system is full.
    @discardableResult
    func grow(to limit: Int = .max) -> Bool {
        let block = [UInt8](repeating: 0x5a, count: 64 << 10)
        while byteCount < limit {
            let count = pwrite(descriptor, block, min(block.count, limit - byteCount), off_t(byteCount))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return true }
            byteCount += count
        }
        return false
    }

    func shrink(to count: Int) {
        guard count < byteCount, ftruncate(descriptor, off_t(count)) == 0 else { return }
        byteCount = count
    }

    /// Gives all the space back.
    func remove() {
        shrink(to: 0)
        unlink(path)
    }
}

private let closeDescriptor: @Sendable (CInt) -> Void = { descriptor in _ = close(descriptor) }
