// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The progress of the writer of each key, in a file that all processes have mapped. It survives any of them.
///
/// A key goes through its *steps* one by one. The number of a step decides whether it is an insertion or a removal.
/// The writer notes a step as intended before it starts, and as acknowledged after it has returned.
final class SharedProgress: Sendable {
    let keyCount: Int
    private let mapping: Mapping

    /// Maps the file, and creates it with zeros if there is none.
    init(_ path: String, keyCount: Int) throws(SystemFailure) {
        self.keyCount = keyCount
        mapping = try Mapping(path, count: 2 * keyCount)
    }

    /// The last step that has returned.
    func acknowledged(_ key: Int) -> Int { mapping.load(2 * key) }
    /// The last step that was begun.
    func intended(_ key: Int) -> Int { mapping.load(2 * key + 1) }

    func acknowledge(_ step: Int, key: Int) { mapping.store(step, at: 2 * key) }
    func intend(_ step: Int, key: Int) { mapping.store(step, at: 2 * key + 1) }
}

/// Atomic numbers in a file.
///
/// `@unchecked Sendable` because the pointer never changes, the memory is unmapped only when no reference is
/// left, and all access to it is atomic.
private final class Mapping: @unchecked Sendable {
    private let base: UnsafeMutablePointer<Atomic<Int>>
    private let count: Int

    init(_ path: String, count: Int) throws(SystemFailure) {
        self.count = count
        let byteCount = count * MemoryLayout<Int>.stride
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure("create \(path)", number: errno) }
        defer { close(descriptor) }
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw SystemFailure("extend \(path)", number: errno) }
        let address = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw SystemFailure("map \(path)", number: errno) }
        // `Atomic<Int>` has the representation of `Int`, and zero is a value of both.
        base = address.bindMemory(to: Atomic<Int>.self, capacity: count)
    }

    deinit {
        munmap(base, count * MemoryLayout<Int>.stride)
    }

    func load(_ index: Int) -> Int {
        precondition((0..<count).contains(index), "no number \(index)")
        return base[index].load(ordering: .sequentiallyConsistent)
    }

    func store(_ number: Int, at index: Int) {
        precondition((0..<count).contains(index), "no number \(index)")
        base[index].store(number, ordering: .sequentiallyConsistent)
    }
}
