// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// One request of an access trace: the object that was asked for, and the trace's facts about it. Or a change, where
/// the trace has changes.
///
/// Only the key is in every trace. A simulation uses the other facts that are there: sizes for capacities in bytes,
/// times and lifetimes for expiry, costs for the time that hits save. A request takes 48 bytes.
public struct AccessRequest: Hashable, Sendable {
    /// A number for the object: equal for equal objects, and for no others.
    public var key: UInt64
    // An unknown part has the largest number of its type, so that a request is less than half as large as one of optional fields.
    private var knownSize = Int.max
    private var knownTime = UInt64.max
    private var knownLifetime = UInt64.max
    private var knownCost = UInt32.max
    private var knownGroup = UInt32.max
    /// Whether the cache that the trace was recorded at had the object; `nil` if the trace does not say.
    public var wasHit: Bool?
    /// Whether that cache had it in memory, and fresh.
    var wasFreshInMemory = false
    /// Whether it is a request, or a change of the cache's content. Default: a request.
    public var kind: Kind

    /// The effect of a request on a cache.
    public struct Kind: Hashable, Sendable {
        enum Base: UInt8, Hashable, Sendable { case read, uncacheable, write, removal }
        let base: Base

        /// The object is looked up, and brought in if it is not there.
        public static var read: Self { Self(base: .read) }
        /// The object is looked up, and cannot be kept: a miss in any cache.
        public static var uncacheable: Self { Self(base: .uncacheable) }
        /// The object is brought in, or takes the place of an older version, without being asked for. It is no request.
        public static var write: Self { Self(base: .write) }
        /// The object is removed. It is no request.
        public static var removal: Self { Self(base: .removal) }
    }

    /// Creates a request.
    public init(
        key: UInt64,
        size: Int? = nil,
        time: UInt64? = nil,
        lifetime: UInt64? = nil,
        cost: UInt32? = nil,
        group: UInt32? = nil,
        wasHit: Bool? = nil,
        kind: Kind = .read
    ) {
        self.key = key
        self.wasHit = wasHit
        self.kind = kind
        self.size = size
        self.time = time
        self.lifetime = lifetime
        self.cost = cost
        self.group = group
    }

    /// The bytes of the object, 0 or more; `nil` if the trace does not say.
    public var size: Int? {
        get { knownSize == .max ? nil : knownSize }
        set { knownSize = newValue.map { max(0, $0) } ?? .max }
    }

    /// Milliseconds from the first request of the trace to this one; `nil` if the trace has no times.
    public var time: UInt64? {
        get { knownTime == .max ? nil : knownTime }
        set { knownTime = newValue ?? .max }
    }

    /// How many milliseconds after it was loaded the object may be used; `nil` if for ever, or if the trace does not say.
    public var lifetime: UInt64? {
        get { knownLifetime == .max ? nil : knownLifetime }
        set { knownLifetime = newValue ?? .max }
    }

    /// How many microseconds it took to load the object; `nil` if the trace does not say.
    public var cost: UInt32? {
        get { knownCost == .max ? nil : knownCost }
        set { knownCost = newValue ?? .max }
    }

    /// The group that the object belongs to, such as the first part of its path; `nil` if the trace has no groups.
    public var group: UInt32? {
        get { knownGroup == .max ? nil : knownGroup }
        set { knownGroup = newValue ?? .max }
    }
}
