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
    /// Reading and writing memory of the caller's.
    extension FileDescriptor {
        /// Writes all of `first` and then all of `second`, in as many steps as the system asks for.
        package func write(
            _ first: UnsafeRawBufferPointer,
            then second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
        ) throws(SystemCallError) {
            var first = first
            var second = second
            while first.count + second.count > 0 {
                let step = try Self.retrying {
                    withVectors(first.baseAddress, first.count, second.baseAddress, second.count) { writev(number, $0, 2) }
                }
                // A regular file never accepts nothing; a device that does would keep the loop going for ever.
                guard step > 0 else { throw SystemCallError(EIO) }
                let stepInFirst = min(step, first.count)
                first = UnsafeRawBufferPointer(rebasing: first[stepInFirst...])
                second = UnsafeRawBufferPointer(rebasing: second[(step - stepInFirst)...])
            }
        }

        /// Fills `first` and then `second` with the next bytes of the file. Returns how many bytes there were, which is
        /// less only at the end of the file.
        package func read(into first: UnsafeMutableRawBufferPointer, then second: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> Int {
            var first = first
            var second = second
            var readCount = 0
            while first.count + second.count > 0 {
                let step = try Self.retrying {
                    withVectors(first.baseAddress, first.count, second.baseAddress, second.count) { readv(number, $0, 2) }
                }
                if step == 0 { break }
                readCount += step
                let stepInFirst = min(step, first.count)
                first = UnsafeMutableRawBufferPointer(rebasing: first[stepInFirst...])
                second = UnsafeMutableRawBufferPointer(rebasing: second[(step - stepInFirst)...])
            }
            return readCount
        }

        /// Fills `buffer` with the bytes at `offset`, wherever the last read has ended. Returns how many bytes there
        /// were, which is less only at the end of the file.
        package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int {
            var readCount = 0
            while readCount < buffer.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[readCount...])
                let step = try Self.retrying {
                    pread(number, rest.baseAddress, min(rest.count, Self.largestTransfer), off_t(offset + readCount))
                }
                if step == 0 { break }
                readCount += step
            }
            return readCount
        }

        /// Calls `body` with two vectors, which together are no longer than the system transfers at once.
        private func withVectors(
            _ first: UnsafeRawPointer?,
            _ firstCount: Int,
            _ second: UnsafeRawPointer?,
            _ secondCount: Int,
            _ body: (UnsafePointer<iovec>) -> Int
        ) -> Int {
            let firstCount = min(firstCount, Self.largestTransfer)
            let secondCount = min(secondCount, Self.largestTransfer - firstCount)
            return withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vectors in
                let start = vectors.baseAddress.unsafelyUnwrapped
                start.initialize(to: iovec(iov_base: UnsafeMutableRawPointer(mutating: first), iov_len: firstCount))
                (start + 1).initialize(to: iovec(iov_base: UnsafeMutableRawPointer(mutating: second), iov_len: secondCount))
                return body(start)
            }
        }
    }
#endif
