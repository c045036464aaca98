// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport
import HoardRedisTestSupport
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Atomic numbers in a file that all processes have mapped: they survive the end of any process.
///
/// `@unchecked Sendable` because the pointer never changes, the memory is unmapped only when no code has a
/// reference, and all access to it is atomic.
final class SharedNumbers: @unchecked Sendable {
    private let base: UnsafeMutablePointer<Atomic<Int>>
    let count: Int

    /// Maps the file, and creates it with zeros if there is none.
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

    subscript(index: Int) -> Int {
        precondition((0..<count).contains(index), "no number \(index)")
        return base[index].load(ordering: .sequentiallyConsistent)
    }

    /// Adds to a number, and returns the sum.
    func add(_ number: Int, at index: Int) -> Int {
        precondition((0..<count).contains(index), "no number \(index)")
        return base[index].add(number, ordering: .sequentiallyConsistent).newValue
    }

    /// Makes a number at least as large as another.
    func raise(to number: Int, at index: Int) {
        precondition((0..<count).contains(index), "no number \(index)")
        _ = base[index].max(number, ordering: .sequentiallyConsistent)
    }
}

/// Runs a closure on a new thread, for which no code waits.
///
/// - Returns: Whether the thread was started.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    /// Owned by the thread from the moment it is started.
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let pointer = Unmanaged.passRetained(Box(body)).toOpaque()
    #if canImport(Darwin)
        var thread: pthread_t?
        let number = pthread_create(
            &thread,
            nil,
            {
                Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body(); return nil
            },
            pointer
        )
        if number == 0, let thread { pthread_detach(thread) }
    #else
        var thread = pthread_t()
        let number = pthread_create(
            &thread,
            nil,
            { pointer in
                if let pointer { Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body() }
                return nil
            },
            pointer
        )
        if number == 0 { pthread_detach(thread) }
    #endif
    if number != 0 { Unmanaged<Box>.fromOpaque(pointer).release() }
    return number == 0
}
