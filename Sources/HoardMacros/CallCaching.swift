// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// A cache that ``Cached(in:freshFor:tags:including:ignoring:)-9hh5o`` can use: ``Cache`` and ``TieredCache``.
public protocol CallCaching: Sendable {
    /// The cache's keys.
    associatedtype Key: Hashable & Sendable
    /// The cache's values.
    associatedtype Value: Sendable

    /// The value of a call, which `body` makes if the cache has none. A hit in memory does not suspend.
    ///
    /// - Parameters:
    ///   - freshFor: How long it is fresh. `nil`: as the cache says.
    ///   - tags: Asked when a value has been made.
    nonisolated(nonsending) func value(
        ofCall key: Key,
        freshFor: Duration?,
        tags: @autoclosure @escaping @Sendable () -> Set<String>,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value

    /// The same for a function that may find nothing.
    nonisolated(nonsending) func value(
        ofCall key: Key,
        freshFor: Duration?,
        tags: @autoclosure @escaping @Sendable () -> Set<String>,
        _ body: @escaping @Sendable () async throws -> Value?
    ) async throws -> Value?
}

extension Cache: CallCaching {
    @inlinable public nonisolated(nonsending) func value(
        ofCall key: Key,
        freshFor: Duration? = nil,
        tags: @autoclosure @escaping @Sendable () -> Set<String> = [],
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        while true {
            let found = try await valueIfExists(forKey: key) { _ in .value(try await body(), expiresAfter: freshFor, tags: tags()) }
            if let found { return found }
            // Another caller has told the cache that there is no value. The function knows better.
            removeValue(forKey: key)
        }
    }

    @inlinable public nonisolated(nonsending) func value(
        ofCall key: Key,
        freshFor: Duration? = nil,
        tags: @autoclosure @escaping @Sendable () -> Set<String> = [],
        _ body: @escaping @Sendable () async throws -> Value?
    ) async throws -> Value? {
        try await valueIfExists(forKey: key) { _ in try await .result(of: body(), freshFor, tags()) }
    }
}

extension TieredCache: CallCaching {
    @inlinable public nonisolated(nonsending) func value(
        ofCall key: Key,
        freshFor: Duration? = nil,
        tags: @autoclosure @escaping @Sendable () -> Set<String> = [],
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let found = try await valueIfExists(forKey: key) { _ in .value(try await body(), expiresAfter: freshFor, tags: tags()) }
        if let found { return found }
        // Another caller has told the cache that there is no value. The function knows better.
        return try await value(forKey: key, policy: freshFor.map(policy(freshFor:)), tags: tags()) { _ in try await body() }
    }

    @inlinable public nonisolated(nonsending) func value(
        ofCall key: Key,
        freshFor: Duration? = nil,
        tags: @autoclosure @escaping @Sendable () -> Set<String> = [],
        _ body: @escaping @Sendable () async throws -> Value?
    ) async throws -> Value? {
        try await valueIfExists(forKey: key) { _ in try await .result(of: body(), freshFor, tags()) }
    }
}

extension TieredCache {
    @usableFromInline func policy(freshFor: Duration) -> CachePolicy {
        policy.with { policy in (policy.freshFor, policy.jitter) = (freshFor, .zero) }
    }
}

extension LoadResult {
    @usableFromInline static func result(of value: Value?, _ freshFor: Duration?, _ tags: Set<String>) -> LoadResult {
        guard let value else { return .absent(tags: tags) }
        return .value(value, expiresAfter: freshFor, tags: tags)
    }
}

extension CallCaching {
    /// The key of a call, in a cache for functions with these parameters.
    @inlinable public func key<each Argument>(ofCall function: String, of type: Any.Type? = nil, _ arguments: repeat each Argument) -> Key
    where Key == FunctionCall<repeat each Argument> {
        FunctionCall(function, of: type, repeat each arguments)
    }

    /// The key of a call whose only parameter is the key.
    @inlinable public func key(ofCall function: String, of type: Any.Type? = nil, _ argument: Key) -> Key { argument }
}
