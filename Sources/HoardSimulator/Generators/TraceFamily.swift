// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A kind of access trace that is made to fool policies which adapt.
///
/// Each seed gives a trace of another shape: sizes, shares and distances are drawn from ranges that the family allows.
public struct TraceFamily: Hashable, Sendable, CustomStringConvertible {
    private enum Base: String, CaseIterable, Hashable, Sendable {
        case trickle, whisper, band, phases, widepin, drift, crash, loop, tenants
    }
    private let base: Base
    private init(_ base: Base) { self.base = base }

    /// A hot set, and a stream of keys that come twice, a tenth to a half of the capacity apart.
    public static var trickle: Self { .init(.trickle) }
    /// The same with one percent of such accesses, among keys that come once.
    public static var whisper: Self { .init(.whisper) }
    /// Keys that come again at nearly the same distance, just beyond the length of a small window.
    public static var band: Self { .init(.band) }
    /// Loops and pairs by turns.
    public static var phases: Self { .init(.phases) }
    /// Pairs for which a wide window is right, and then a loop or a scan for which it is very wrong.
    public static var widepin: Self { .init(.widepin) }
    /// A mixture whose shares change slowly for the whole trace.
    public static var drift: Self { .init(.drift) }
    /// A working set that another one replaces all at once, with scans in between.
    public static var crash: Self { .init(.crash) }
    /// A loop slightly larger than the cache.
    public static var loop: Self { .init(.loop) }
    /// Two of the others in one cache.
    public static var tenants: Self { .init(.tenants) }

    /// All families.
    public static var all: [Self] { Base.allCases.map { .init($0) } }

    /// The family of a name, such as `trickle`; `nil` if there is none.
    public init?(name: String) {
        guard let base = Base(rawValue: name) else { return nil }
        self.base = base
    }

    /// The name on the command line.
    public var name: String { base.rawValue }
    public var description: String { name }

    /// A number that sets the family's traces apart from those of the others with the same seed.
    var number: UInt64 { UInt64(Base.allCases.firstIndex(of: base) ?? 0) }

    func makeKeys(_ shape: inout TraceShape) -> any KeyStream {
        switch base {
        case .trickle: shape.trickle()
        case .whisper: shape.whisper()
        case .band: shape.band()
        case .phases: shape.phases()
        case .widepin: shape.widepin()
        case .drift: shape.drift()
        case .crash: shape.crash()
        case .loop: shape.loop()
        case .tenants: shape.tenants()
        }
    }
}
