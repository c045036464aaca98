// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// What a loader found, and how the cache is to keep it. See ``Cache/valueIfExists(forKey:load:)``.
public struct LoadedEntry<Value: Sendable>: Sendable {
    enum Content: Sendable {
        case value(Value)
        case absent
        case failure(any Error)
    }

    let content: Content
    let weight: Int?
    let expiresAfter: Duration?
    let tags: Set<String>

    private init(_ content: Content, weight: Int?, expiresAfter: Duration?, tags: Set<String>) {
        self.content = content
        self.weight = weight
        self.expiresAfter = expiresAfter
        self.tags = tags
    }

    /// There is a value.
    ///
    /// - Parameters:
    ///   - weight: What it weighs. By default the cache's weigher decides.
    ///   - expiresAfter: When it expires, counted from the end of the load. By default the cache's expiration decides.
    ///   - tags: Labels by which it can be removed.
    public static func value(_ value: Value, weight: Int? = nil, expiresAfter: Duration? = nil, tags: Set<String> = []) -> LoadedEntry {
        .init(.value(value), weight: weight, expiresAfter: expiresAfter, tags: tags)
    }

    /// There is no value, and nobody need ask again for this time: a negative entry. It weighs 1 and counts against the limits like any other.
    public static func absent(expiresAfter: Duration, tags: Set<String> = []) -> LoadedEntry {
        .init(.absent, weight: 1, expiresAfter: expiresAfter, tags: tags)
    }

    /// The load failed, and callers are to get this error for this time instead of loading again.
    ///
    /// A loader that throws is asked again by the next caller; one that returns this is not. Useful before a service that has to recover.
    public static func failure(_ error: any Error, expiresAfter: Duration) -> LoadedEntry {
        .init(.failure(error), weight: 1, expiresAfter: expiresAfter, tags: [])
    }
}

/// What the callers of one load get.
@usableFromInline enum LoadOutcome<Value: Sendable>: Sendable {
    case value(Value)
    /// The loader, or a negative entry, says that there is no value.
    case absent
    /// A bulk load has not mentioned the key: nobody knows.
    case unknown

    var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
