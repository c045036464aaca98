// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A type that keeps values by key. Generic code over subjects is specialised for each, so that a call
/// costs as much as a direct one.
protocol Subject<Key, Value>: Sendable {
    associatedtype Key: BenchmarkKey
    associatedtype Value: BenchmarkValue
    static var name: String { get }
    /// - Parameter capacity: Ignored by subjects that have no limit.
    init(capacity: Int)
    func value(forKey key: Key) -> Value?
    func insert(_ value: Value, forKey key: Key)
}

extension Subject {
    func fill(with numbers: some Sequence<Int>) {
        for number in numbers { insert(Value(number: number), forKey: Key(number: number)) }
    }
}
