// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The sizes that a policy charges its slots with.
///
/// Policies are generic over it, so that the compiler makes one that counts bytes, and one that counts keys and has no sizes at all.
protocol SlotSizes: Sendable {
    /// Whether slots can have different sizes.
    static var differ: Bool { get }

    init()

    /// The size of a slot.
    subscript(slot: Int) -> Int { get set }
}

/// Sizes for a capacity in keys: each is 1.
struct UnitSizes: SlotSizes {
    static var differ: Bool { false }

    subscript(slot: Int) -> Int {
        get { 1 }
        set {}
    }
}

/// Sizes for a capacity in bytes.
struct ByteSizes: SlotSizes {
    static var differ: Bool { true }

    private var sizes: [Int] = []

    subscript(slot: Int) -> Int {
        get { slot < sizes.count ? sizes[slot] : 0 }
        set {
            while sizes.count <= slot { sizes.append(0) }
            sizes[slot] = newValue
        }
    }
}
