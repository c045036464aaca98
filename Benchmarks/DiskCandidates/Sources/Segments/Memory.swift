// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Bytes that grow at their end and are used again. They are not initialised twice.
///
/// `@unchecked Sendable` because a value that cannot be copied has one owner, and no code keeps
/// the pointers that it hands out.
struct GrowingBytes: ~Copyable, @unchecked Sendable {
    private var storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int = 1 << 16) {
        storage = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { storage.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    mutating func removeAll() { count = 0 }

    /// Makes room for `byteCount` more bytes, and returns it.
    mutating func extend(by byteCount: Int) -> UnsafeMutableRawBufferPointer {
        if count + byteCount > storage.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(storage.count * 2, count + byteCount), alignment: 16)
            larger.copyMemory(from: bytes)
            storage.deallocate()
            storage = larger
        }
        let room = UnsafeMutableRawBufferPointer(rebasing: storage[count..<count + byteCount])
        count += byteCount
        return room
    }
}
