// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A small number for each thread, in the order in which they asked first. Threads that serve connections get different places in a table by it,
/// so that none waits for another.
enum ThreadNumber {
    private static let next = Atomic<Int>(0)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Without a key each call gets a new number, which is slower but not wrong.
        _ = pthread_key_create(&key, nil)
        return key
    }()

    /// The current thread's number, from 1. O(1).
    static var current: Int {
        if let known = pthread_getspecific(key) { return Int(bitPattern: known) }
        let number = next.add(1, ordering: .relaxed).newValue
        _ = pthread_setspecific(key, UnsafeRawPointer(bitPattern: number))
        return number
    }
}
