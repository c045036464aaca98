// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where the shared stores among a cache's tiers stood at a moment. Takes no memory of its own where there is none.
@usableFromInline package struct StorePositions: Sendable {
    @usableFromInline var positions: [StorePosition?] = []

    @usableFromInline init() {}

    /// The positions of no store. Writes are not compared with changes by others.
    @inlinable package static var none: Self { Self() }

    /// Where the store of a tier stood; `nil` if it is not shared.
    subscript(tier: Int) -> StorePosition? { positions.indices.contains(tier) ? positions[tier] : nil }

    fileprivate static func now(in tiers: [StoreTier]) -> Self {
        var now = Self()
        now.positions = tiers.map { $0.sharedStore?.position }
        return now
    }
}

extension StoreStack {
    /// Where the shared stores stand now.
    @usableFromInline var positions: StorePositions { hasSharedStores ? .now(in: tiers) : .none }
}
