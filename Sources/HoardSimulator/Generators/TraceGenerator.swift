// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Makes the keys of an access trace: the same ones for the same family, capacity, seed and length, everywhere.
///
/// ```swift
/// var generator = try TraceGenerator(.trickle, capacity: 4_096, seed: 1)
/// for _ in 0..<generator.length { print(generator.next()) }
/// ```
public struct TraceGenerator: Sendable {
    /// The number of accesses of the trace.
    public let length: Int

    private var keys: any KeyStream
    private var random: SplitMix64

    private static let capacities = 16...(1 << 24)
    private static let lengths = 1...(1 << 40)

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - capacity: The number of keys of the cache that the trace is made for, from 16 to 16,777,216.
    ///   - seed: Decides about the shape of the trace and about its keys.
    ///   - length: The number of accesses; 60 for each key of the capacity if it is `nil`, but between 200,000 and 2,000,000.
    public init(_ family: TraceFamily, capacity: Int, seed: UInt64, length: Int? = nil) throws(TraceGeneratorError) {
        guard Self.capacities.contains(capacity) else {
            throw TraceGeneratorError(.capacityOutOfRange, "The capacity must be between 16 and \(1 << 24) keys, not \(capacity).")
        }
        let length = length ?? min(max(200_000, 60 * capacity), 2_000_000)
        guard Self.lengths.contains(length) else {
            throw TraceGeneratorError(.lengthOutOfRange, "The length must be between 1 and \(1 << 40) accesses, not \(length).")
        }
        self.length = length
        var shape = TraceShape(capacity: capacity, length: length, random: SplitMix64(state: seed &* 1_000 &+ family.number))
        keys = family.makeKeys(&shape)
        random = shape.random
    }

    /// The next key. O(1), amortised. The trace can be continued beyond its length.
    public mutating func next() -> UInt64 { keys.next(&random) }
}

/// The reason why a trace cannot be made.
///
/// Compare ``code``; its set can grow without breaking code that matches on it. The description is one sentence for a person.
public struct TraceGeneratorError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The capacity is too small to have a shape, or too large.
        public static var capacityOutOfRange: Self { Self(description: #function) }
        /// There are no accesses, or too many.
        public static var lengthOutOfRange: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
