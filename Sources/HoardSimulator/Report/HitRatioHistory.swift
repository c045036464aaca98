// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Hit ratios in the course of an access trace, for each policy at one capacity.
///
/// It is told the hits of each batch of requests. However many batches there are, it keeps 256 windows at most for each policy: each two become
/// one whenever there are more.
public struct HitRatioHistory: Sendable {
    /// Requests that follow one another.
    public struct Window: Hashable, Sendable {
        /// How many requests the window has.
        public internal(set) var requests: Int
        /// How many of them were hits.
        public internal(set) var hits: Int

        /// Hits per request, from 0 to 1.
        public var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }
    }

    fileprivate struct Course {
        let policy: SimulationPolicy
        var windows: [Window] = []
        /// The number of batches that a window has.
        var batchesPerWindow = 1
        /// The number of batches that the last window has so far.
        var batches = 0
    }

    fileprivate static let maximumWindows = 256

    /// The number of keys, or of bytes, that the caches could hold.
    public let capacity: Int
    /// Whether ``capacity`` is a number of bytes.
    public let countsBytes: Bool
    private var courses: [Course] = []

    /// Creates an empty history of a capacity.
    public init(capacity: Int, countsBytes: Bool = false) {
        self.capacity = capacity
        self.countsBytes = countsBytes
    }

    /// The policies, in the order in which they came first.
    public var policies: [SimulationPolicy] { courses.map(\.policy) }

    /// The windows of a policy, in order. All have as many batches, but the last one may have fewer.
    public func windows(of policy: SimulationPolicy) -> [Window] {
        courses.first { $0.policy == policy }?.windows ?? []
    }

    /// Adds a batch of requests that a policy has replayed.
    ///
    /// - Parameters:
    ///   - requests: How many requests the batch had.
    ///   - hits: How many of them were hits.
    ///   - policy: The policy. Each gets every batch once.
    /// - Complexity: O(1), amortized, and O(*n*) in the policies.
    public mutating func add(requests: Int, hits: Int, by policy: SimulationPolicy) {
        if let course = courses.firstIndex(where: { $0.policy == policy }) {
            courses[course].add(Window(requests: requests, hits: hits))
        } else {
            courses.append(Course(policy: policy, windows: [Window(requests: requests, hits: hits)], batches: 1))
        }
    }
}

extension HitRatioHistory.Course {
    fileprivate mutating func add(_ batch: HitRatioHistory.Window) {
        if batches < batchesPerWindow {
            windows[windows.count - 1].add(batch)
            batches += 1
            return
        }
        if windows.count == HitRatioHistory.maximumWindows {
            windows = stride(from: 0, to: windows.count, by: 2).map { start in
                windows[start..<start + 2].dropFirst().reduce(into: windows[start]) { $0.add($1) }
            }
            batchesPerWindow *= 2
        }
        windows.append(batch)
        batches = 1
    }
}

extension HitRatioHistory.Window {
    fileprivate mutating func add(_ other: Self) {
        requests += other.requests
        hits += other.hits
    }
}
