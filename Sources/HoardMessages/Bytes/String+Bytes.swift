// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#elseif canImport(Darwin)
    public import Darwin
#endif

extension String {
    /// Whether the UTF-8 bytes of both are the same. Stricter than `==`, which holds different bytes equal that spell the same characters.
    @inlinable package func hasSameBytes(as other: String) -> Bool {
        let isEqual = other.utf8.withContiguousStorageIfAvailable { hasBytes(UnsafeRawBufferPointer($0)) }
        return isEqual ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether these are the UTF-8 bytes of the string.
    @inlinable package func hasBytes(_ other: UnsafeRawBufferPointer) -> Bool {
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.count == other.count else { return false }
            guard let first = bytes.baseAddress, let second = other.baseAddress else { return true }
            return memcmp(first, second, bytes.count) == 0
        }
        return isEqual ?? utf8.elementsEqual(other)
    }
}
