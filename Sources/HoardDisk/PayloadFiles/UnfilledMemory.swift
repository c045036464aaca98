// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Memory from `malloc` that becomes a `Data` without being copied, and is not filled with zeros first.
struct UnfilledMemory: ~Copyable {
    let bytes: UnsafeMutableRawBufferPointer

    /// `nil` if there is not so much memory.
    init?(byteCount: Int) {
        guard byteCount >= 0, let start = malloc(max(byteCount, 1)) else { return nil }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    deinit { free(bytes.baseAddress) }

    /// Gives the memory to a `Data`. All of it must have been filled.
    consuming func data() -> Data {
        let bytes = bytes
        discard self
        // The memory came from malloc, so its start is never nil.
        return Data(bytesNoCopy: bytes.baseAddress.unsafelyUnwrapped, count: bytes.count, deallocator: .free)
    }
}
