// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// One access to a cache, or one change of its contents, for ``CacheTraceRecorder/record(_:forKey:)``.
public struct CacheAccess: Hashable, Sendable {
    /// The kind of an access.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        let event: TraceEvent.Kind

        /// A read that the cache answered with its own value.
        public static var hit: Self { Self(event: .hit) }
        /// A read that was answered with a stale value.
        public static var stale: Self { Self(event: .stale) }
        /// A read that was answered after the source had confirmed the stored value.
        public static var revalidated: Self { Self(event: .revalidated) }
        /// A read for which the cache had nothing.
        public static var miss: Self { Self(event: .miss) }
        /// A read of a value that the cache does not keep.
        public static var pass: Self { Self(event: .pass) }
        /// An entry was written.
        public static var write: Self { Self(event: .write) }
        /// An entry was removed.
        public static var removal: Self { Self(event: .removal) }

        public var description: String { "\(event)" }
    }

    /// The kind of access.
    public var kind: Kind
    /// The bytes of the entry; `nil` if they are not known.
    public var size: Int?
    /// The time after the write for which the entry may be used; `nil` if it does not expire.
    public var lifetime: Duration?
    /// The duration of the load; `nil` if there was none.
    public var cost: Duration?
    /// A name for keys that belong together, such as the first part of a path. It is recorded as a pseudonym.
    public var group: String?
    /// The number of the tier that answered: 0 for memory, 1 for the store behind it, and so on.
    public var tier: Int

    /// Creates an access.
    public init(_ kind: Kind, size: Int? = nil, lifetime: Duration? = nil, cost: Duration? = nil, group: String? = nil, tier: Int = 0) {
        self.kind = kind
        self.size = size
        self.lifetime = lifetime
        self.cost = cost
        self.group = group
        self.tier = tier
    }
}
