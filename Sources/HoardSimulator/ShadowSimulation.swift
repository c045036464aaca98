// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// Caches of other policies and sizes, simulated on the live traffic of a real one.
///
/// ```swift
/// let simulation = try ShadowSimulation([.init(.lru, .count(10_000)), .init(.hoard, .count(40_000))])
/// users.recordAccesses(with: simulation.recorder)
/// // … an hour later
/// print(simulation.statistics.hitRatio, simulation.statistics.shadows.map(\.hitRatio))
/// users.recordAccesses(with: nil)
/// ```
///
/// A shadow has keys and sizes, and no values. It gets the requests for a sample of the keys and a capacity that is smaller by the same factor.
/// Source: Waldspurger, Saemundsson, Ahmad, Park: Cache Modeling and Optimization using Miniature Simulations, USENIX ATC 2017. All accesses to a key
/// are in the sample, or none (Waldspurger, Park, Garthwaite, Ahmad: Efficient MRC Construction with SHARDS, FAST 2015). The real cache's hits are
/// counted at the same requests, so that both ratios are off in the same way. The smaller the scaled capacity, the less a ratio says: a shadow of
/// fewer than a few hundred keys, or of as many bytes as a few large objects have, needs a larger sample.
///
/// A shadow begins with the entries that the real cache has when the recording begins. It loads an object that it does
/// not have when the real cache finds it, or loads and keeps it; no shadow keeps an object that the real cache does not
/// keep. Lifetimes, writes and removals are those of the real cache. A shadow knows nothing of stores behind memory and
/// of stale values: see ``Statistics/otherHits``.
///
/// An access to a key of the sample costs a cache as much as a recording, some nanoseconds. All else is done in the
/// background by one task, for all shadows together, at most ten seconds and one second later. Where it cannot keep up,
/// accesses are lost, and counted. Keys are replaced by pseudonyms, and nothing is written anywhere. Memory: 8 MiB of
/// accesses that wait, and for each of at most `maximumKeyCount` keys about 120 bytes, and 70 more for each shadow that
/// holds it.
public final class ShadowSimulation: Sendable {
    /// Brings accesses to the simulation. It is given to the cache, by `recordAccesses(with:)`; one of a kind of your own calls `record(_:forKey:)`.
    public let recorder: CacheTraceRecorder
    private let replayer: ShadowReplayer
    private let listener: Int
    private let ownsRecorder: Bool

    /// The most shadows that share the accesses.
    public static let maximumCount = 16
    /// How many bytes of accesses may wait to be replayed.
    private static let maximumPendingBytes = 8 << 20

    /// Begins a simulation.
    ///
    /// - Parameters:
    ///   - shadows: At most ``maximumCount``. ``SimulationPolicy/opt`` is none of them.
    ///   - sample: The share of the keys that is simulated, from 1/65,536 to 1.
    ///   - maximumKeyCount: How many keys of the sample are known at most. The one that was not used for longest is forgotten, and no shadow has it any more.
    ///   - ticker: The clock that times accesses.
    /// - Throws: ``ShadowSimulationError``.
    public convenience init(
        _ shadows: [Shadow],
        sample: Double = 1 / 64,
        maximumKeyCount: Int = 65_536,
        ticker: any Ticker = MonotonicTicker()
    ) throws(ShadowSimulationError) {
        try self.init(shadows, sample: sample, maximumKeyCount: maximumKeyCount, ticker: ticker, pseudonymSeed: nil)
    }

    /// Begins a simulation in which the same keys have the same pseudonyms in every run.
    convenience init(
        _ shadows: [Shadow],
        sample: Double,
        maximumKeyCount: Int = 65_536,
        ticker: any Ticker,
        pseudonymSeed: UInt64?
    ) throws(ShadowSimulationError) {
        var configuration = CacheTraceRecorder.Configuration()
        configuration.maximumPendingBytes = Self.maximumPendingBytes
        try Self.check(sample)
        let recorder = CacheTraceRecorder(
            listenedShare: sample,
            configuration: configuration,
            ticker: ticker,
            pseudonymSeed: pseudonymSeed
        )
        try self.init(shadows, sample: sample, maximumKeyCount: maximumKeyCount, recorder: recorder, ownsRecorder: true)
    }

    /// Begins a simulation on the accesses that are recorded into a file.
    ///
    /// It has to be there before the cache gets the recorder; otherwise shadows begin empty.
    ///
    /// - Parameters:
    ///   - shadows: At most ``maximumCount``.
    ///   - recorder: Becomes ``recorder``. The recording goes on when the simulation ends.
    ///   - sample: The share of the keys that is simulated; the recorder's, if that is smaller.
    ///   - maximumKeyCount: How many keys of the sample are known at most.
    /// - Throws: ``ShadowSimulationError``.
    public convenience init(
        _ shadows: [Shadow],
        beside recorder: CacheTraceRecorder,
        sample: Double = 1 / 64,
        maximumKeyCount: Int = 65_536
    ) throws(ShadowSimulationError) {
        try Self.check(sample)
        try self.init(shadows, sample: sample, maximumKeyCount: maximumKeyCount, recorder: recorder, ownsRecorder: false)
    }

    private init(
        _ shadows: [Shadow],
        sample: Double,
        maximumKeyCount: Int,
        recorder: CacheTraceRecorder,
        ownsRecorder: Bool
    ) throws(ShadowSimulationError) {
        guard shadows.count <= Self.maximumCount else {
            throw ShadowSimulationError(.outOfRange, "There are \(shadows.count) shadows; at most \(Self.maximumCount) are simulated.")
        }
        let share = recorder.sampledShare(sample)
        for shadow in shadows { try shadow.check(sampledShare: share, maximumKeyCount: maximumKeyCount) }
        let replayer = ShadowReplayer(shadows, sampledShare: share, maximumKeyCount: maximumKeyCount)
        self.replayer = replayer
        self.recorder = recorder
        self.ownsRecorder = ownsRecorder
        listener = recorder.addListener(share: sample) { replayer.receive($0) }
    }

    deinit { finish() }

    private static func check(_ sample: Double) throws(ShadowSimulationError) {
        guard sample > 0, sample <= 1 else {
            throw ShadowSimulationError(.outOfRange, "The sample of a simulation is a share of the keys, more than 0 and up to 1, not \(sample).")
        }
    }

    /// The counts so far. Accesses of the last eleven seconds may be missing, as a request waits for the write of the
    /// object that was loaded for it.
    ///
    /// May wait for some milliseconds while requests are replayed.
    public var statistics: Statistics { replayer.statistics }

    /// Ends the simulation, and counts the recorded accesses. Blocks the thread while it does. Does nothing the second
    /// time.
    ///
    /// A recorder to a file goes on. A cache pays for being recorded until it is told that it is not.
    public func finish() {
        // A failure is that of a file, and shown there.
        if ownsRecorder { try? recorder.finish() } else { try? recorder.flush() }
        recorder.removeListener(listener)
        replayer.finish()
    }
}
