// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The hit ratio of a cache by its capacity, and which capacity to choose from it.
struct SizeCurve {
    struct Point {
        let capacity: Int
        let hitRatio: Double
    }

    /// The points in order of growing capacities.
    let points: [Point]
    private let best: Double

    init(_ points: [Point]) {
        self.points = points
        best = points.map(\.hitRatio).max() ?? 0
    }

    /// The place of the smallest capacity whose hit ratio is within a point of the best; `nil` without points.
    var recommended: Int? { points.firstIndex { $0.hitRatio >= best - 0.01 } }

    /// The place of the capacity to prefer to one that a cache has; `nil` if there is none.
    ///
    /// More has to bring two points of the hit ratio. A quarter of the capacity or less has to cost a tenth of a point at most.
    func better(than own: Point) -> Int? {
        let more = points.firstIndex { $0.capacity > own.capacity && $0.hitRatio >= best - 0.01 }
        if let more, points[more].hitRatio - own.hitRatio >= 0.02 { return more }
        return points.firstIndex { $0.capacity <= own.capacity / 4 && $0.hitRatio >= own.hitRatio - 0.001 }
    }
}

extension Advice {
    /// Advice to change the size of memory.
    ///
    /// - Parameters:
    ///   - size: The size to have, and the one that there is, as the settings of the proxy write them.
    ///   - isSetting: Whether the proxy has a setting for it, as for a number of bytes.
    static func size(isMore: Bool, _ size: (new: String, old: String), evidence: String, _ certainty: Certainty, isSetting: Bool = true) -> Self {
        Self(
            isMore ? .moreMemory : .lessMemory,
            path: nil,
            isMore ? "Give memory \(size.new) instead of \(size.old)." : "Memory of \(size.new) is enough; it has \(size.old).",
            evidence: evidence,
            certainty,
            settings: isSetting ? [.init(path: nil, name: "memory", value: size.new)] : []
        )
    }
}
