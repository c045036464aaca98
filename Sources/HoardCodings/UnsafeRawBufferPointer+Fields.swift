// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension UnsafeRawBufferPointer {
    /// Calls a function with each member of a list (RFC 9110, section 5.6.1), without the spaces around
    /// it. Members may be empty.
    func forEachListMember(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start <= count {
            let end = self[start...].firstIndex(of: UInt8(ascii: ",")) ?? count
            body(UnsafeRawBufferPointer(rebasing: self[start..<end]).trimmed)
            start = end + 1
        }
    }

    /// Whether these are the bytes of a name in lower case, in any case.
    func isToken(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        for index in 0..<count {
            let byte = self[index]
            let lowered = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
            if lowered != name.utf8Start[index] { return false }
        }
        return true
    }

    /// The bytes without the spaces and tabs around them.
    var trimmed: UnsafeRawBufferPointer {
        var (start, end) = (0, count)
        while start < end, self[start] == UInt8(ascii: " ") || self[start] == UInt8(ascii: "\t") { start += 1 }
        while start < end, self[end - 1] == UInt8(ascii: " ") || self[end - 1] == UInt8(ascii: "\t") { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}
