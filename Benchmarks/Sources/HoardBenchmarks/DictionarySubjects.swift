// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The baseline, as most people write it first. One lock, no limit.
final class MutexDictionarySubject<Key: BenchmarkKey, Value: BenchmarkValue>: Subject {
    static var name: String { "Mutex<Dictionary>" }
    private let values: Mutex<[Key: Value]>

    init(capacity: Int) {
        values = Mutex(Dictionary(minimumCapacity: capacity))
    }

    @inline(__always)
    func value(forKey key: Key) -> Value? {
        values.withLock { $0[key] }
    }

    @inline(__always)
    func insert(_ value: Value, forKey key: Key) {
        values.withLock { $0[key] = value }
    }
}

/// A lower bound: no lock, no limit.
///
/// Unchecked because it is only ever used by one thread.
final class DictionarySubject<Key: BenchmarkKey, Value: BenchmarkValue>: Subject, @unchecked Sendable {
    static var name: String { "Dictionary" }
    private var values: [Key: Value]

    init(capacity: Int) {
        values = Dictionary(minimumCapacity: capacity)
    }

    @inline(__always)
    func value(forKey key: Key) -> Value? {
        values[key]
    }

    @inline(__always)
    func insert(_ value: Value, forKey key: Key) {
        values[key] = value
    }
}
