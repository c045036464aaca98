// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A key type that the benchmarks can make from a number.
protocol BenchmarkKey: Hashable, Sendable {
    static var name: String { get }
    init(number: Int)
}

extension Int: BenchmarkKey, BenchmarkValue {
    static var name: String { "Int" }

    init(number: Int) {
        self = number
    }

    var checksum: Int { self }
}

/// 30 bytes, twice as many as a string holds without memory of its own.
extension String: BenchmarkKey {
    static var name: String { "String" }

    init(number: Int) {
        let digits = number.description
        self = "account/" + String(repeating: "0", count: Swift.max(0, 17 - digits.utf8.count)) + digits + "/name"
    }
}

/// A value type that the benchmarks can make from a number, and whose reading they can prove.
protocol BenchmarkValue: Sendable {
    static var name: String { get }
    init(number: Int)
    var checksum: Int { get }
}

/// A reference value with 16 bytes of its own.
final class Payload: BenchmarkValue {
    static var name: String { "object" }
    let first: Int
    let second: Int

    init(number: Int) {
        first = number
        second = ~number
    }

    var checksum: Int { first }
}
