// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// A call of a function, as the key of its result.
///
/// Two are equal if the function is the same, and the type that it belongs to, and all arguments.
/// ``Cached(in:freshFor:tags:including:ignoring:)-9hh5o`` makes them. To remove the results that it keeps, tags are
/// handier.
///
/// Hashing and comparing take the time of the arguments' own.
@frozen public struct FunctionCall<each Argument: Hashable & Sendable>: Hashable, Sendable {
    /// File, name and types: `Module/File.swift:Type.name(_:label:) (Int, String) -> User`.
    public let function: String
    /// `nil`: the function belongs to no type, or to one only.
    @usableFromInline let type: Any.Type?
    /// The arguments that are part of the key.
    public let arguments: (repeat each Argument)

    /// - Parameters:
    ///   - function: A name that no other function has.
    ///   - type: The one that the function was called on, if it belongs to several.
    @inlinable public init(_ function: String, of type: Any.Type? = nil, _ arguments: repeat each Argument) {
        self.function = function
        self.type = type
        self.arguments = (repeat each arguments)
    }

    @inlinable public static func == (first: Self, second: Self) -> Bool {
        guard first.type == second.type else { return false }
        for (one, other) in repeat (each first.arguments, each second.arguments) {
            guard one == other else { return false }
        }
        return first.function == second.function
    }

    @inlinable public func hash(into hasher: inout Hasher) {
        if let type { hasher.combine(ObjectIdentifier(type)) }
        for argument in repeat each arguments { hasher.combine(argument) }
        hasher.combine(function)
    }
}

extension RecordKey {
    /// The name of a call's record in a store, the same in every process of the same sources. Only the name of a private or local type that the function belongs to
    /// differs between processes, so each of them has its own records of such a call.
    ///
    /// ```swift
    /// let posts = TieredCache<FunctionCall<User.ID, Int>, [Post]>(
    ///     configuration: .init(maximumCount: 1000), stores: [disk], codec: .json, recordKey: { RecordKey($0) }
    /// )
    /// ```
    ///
    /// O(n) in the bytes of the arguments' texts.
    public init<each Argument: LosslessStringConvertible>(_ call: FunctionCall<repeat each Argument>) {
        var bytes: [UInt8] = []
        func append(_ text: [UInt8]) {
            // The length goes before, so that the end of one text is never the beginning of the next.
            bytes += Array("\(text.count):".utf8) + text
        }
        append(Array(call.function.utf8))
        // Without the addresses that private types have in both names, two such types could be taken for one.
        append(call.type.map { Array((_mangledTypeName($0) ?? String(reflecting: $0)).utf8) } ?? [])
        for argument in repeat each call.arguments { append(RecordKey(of: argument).bytes) }
        self.init(bytes: bytes)
    }
}
