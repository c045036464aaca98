// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A policy that a simulation can replay an access trace on.
public struct SimulationPolicy: Hashable, Sendable, CustomStringConvertible {
    private enum Base: String, CaseIterable, Hashable, Sendable {
        case hoard, lru, fifo, clock, sieve, s3fifo, arc, lirs, opt
    }
    private let base: Base
    private init(_ base: Base) { self.base = base }

    /// The memory cache of this package, `Cache`.
    public static var hoard: Self { .init(.hoard) }
    /// Least recently used.
    public static var lru: Self { .init(.lru) }
    /// First in, first out.
    public static var fifo: Self { .init(.fifo) }
    /// CLOCK with a counter of two bits for each key.
    public static var clock: Self { .init(.clock) }
    /// SIEVE (NSDI 2024).
    public static var sieve: Self { .init(.sieve) }
    /// S3-FIFO (SOSP 2023).
    public static var s3fifo: Self { .init(.s3fifo) }
    /// ARC (FAST 2003).
    public static var arc: Self { .init(.arc) }
    /// LIRS (SIGMETRICS 2002).
    public static var lirs: Self { .init(.lirs) }
    /// Belady's bound: what no policy can exceed. It needs the whole access trace in memory.
    public static var opt: Self { .init(.opt) }

    /// All policies, in the order in which they are shown.
    public static var all: [SimulationPolicy] { Base.allCases.map(Self.init) }

    /// The policy of that name; `nil` if there is none.
    public init?(name: String) {
        guard let base = Base(rawValue: name.lowercased()) else { return nil }
        self.base = base
    }

    /// The name, in lower case.
    public var name: String { base.rawValue }

    public var description: String { name }

    /// Whether the policy looks into the future.
    var needsNextUses: Bool { base == .opt }

    /// An empty cache that replays requests with this policy.
    ///
    /// - Parameter nextUses: The next uses of all requests, for a policy that needs them.
    func makeReplay(capacity: Int, nextUses: [UInt32] = []) -> any Replaying {
        switch base {
        case .hoard: Replay(HoardPolicy(capacity: capacity))
        case .lru: Replay(LRUPolicy(capacity: capacity))
        case .fifo: Replay(FIFOPolicy(capacity: capacity))
        case .clock: Replay(ClockPolicy(capacity: capacity))
        case .sieve: Replay(SievePolicy(capacity: capacity))
        case .s3fifo: Replay(S3FIFOPolicy(capacity: capacity))
        case .arc: Replay(ARCPolicy(capacity: capacity))
        case .lirs: Replay(LIRSPolicy(capacity: capacity))
        case .opt: Replay(OptimalPolicy(capacity: capacity, nextUses: nextUses))
        }
    }
}
