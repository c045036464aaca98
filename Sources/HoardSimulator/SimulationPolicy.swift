// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A policy that a simulation can replay an access trace on.
public struct SimulationPolicy: Hashable, Sendable, CustomStringConvertible {
    enum Base: String, CaseIterable, Hashable, Sendable {
        case hoard
        case hoardBytes = "hoard-bytes"
        case lru, fifo, clock, sieve, s3fifo, merlin, arc, lirs, tinylfu, gdsf, lhd, adaptsize, opt
        case pfooL = "pfoo-l"
    }
    let base: Base
    private init(_ base: Base) { self.base = base }

    /// The memory cache of this package, `Cache`. In bytes, it is made for as many hits as possible.
    public static var hoard: Self { .init(.hoard) }
    /// The same in bytes, made for hits of as many bytes as possible.
    public static var hoardBytes: Self { .init(.hoardBytes) }
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
    /// Merlin (OSDI 2026).
    public static var merlin: Self { .init(.merlin) }
    /// ARC (FAST 2003). It counts keys.
    public static var arc: Self { .init(.arc) }
    /// LIRS (SIGMETRICS 2002). It counts keys.
    public static var lirs: Self { .init(.lirs) }
    /// W-TinyLFU, as in Caffeine (Middleware 2018).
    public static var tinylfu: Self { .init(.tinylfu) }
    /// Greedy-Dual-Size-Frequency (1998).
    public static var gdsf: Self { .init(.gdsf) }
    /// LHD (NSDI 2018).
    public static var lhd: Self { .init(.lhd) }
    /// AdaptSize (NSDI 2017). It counts bytes.
    public static var adaptsize: Self { .init(.adaptsize) }
    /// Belady's bound, in keys: no policy can exceed it. With a capacity in bytes, ``pfooL`` takes its place. Both need the whole access trace
    /// in memory.
    public static var opt: Self { .init(.opt) }

    /// PFOO-L (SIGMETRICS 2018): no policy that counts bytes can exceed it, and the best one may stay below it. There is a bound for hits, one
    /// for the bytes of hits and one for the saved time, each of its own.
    public static var pfooL: Self { .init(.pfooL) }

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

    /// Whether the policy can be simulated with a capacity in bytes, or in keys.
    public func canCount(bytes: Bool) -> Bool {
        switch base {
        case .arc, .lirs: !bytes
        case .hoardBytes, .adaptsize, .pfooL: bytes
        default: true
        }
    }

    /// Whether the policy can be simulated in a memory level above a disk level, and in the nodes of a fleet: ``hoard``, ``hoardBytes`` and ``lru``.
    public var canStandAboveDisk: Bool { [.hoard, .hoardBytes, .lru].contains(base) }

    /// Whether the policy looks into the future.
    var needsNextUses: Bool { base == .opt || base == .pfooL }

    /// The policy that is simulated with a capacity in bytes, or in keys; `nil` if there is none.
    func counting(bytes: Bool) -> Self? {
        canCount(bytes: bytes) ? (bytes && base == .opt ? .pfooL : self) : nil
    }
}
