// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard
internal import HoardHTTP
package import HoardNIO
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The figures of a proxy since its start, counted beside its event loops without making them wait.
///
/// ``record(_:)`` is called for every exchange, from any thread. Threads have counters of their own, which are added up when a caller asks for the figures.
/// Memory is bounded, whatever clients ask for: about 1 MiB, and 150 KiB for each thread that serves connections, plus the URLs of some 300 requests for each.
package final class ProxyStatistics: Sendable {
    package struct Configuration: Sendable {
        /// The version to show.
        package var version: String
        /// The bytes that memory and disk may take together. The miss-ratio curve goes from 1/64 to 16 times of it.
        package var cacheByteCount: Int
        /// The bytes that an object takes in the cache besides its content.
        package var overheadPerEntry = 1_024
        /// Objects that the miss-ratio curve is drawn from, at most.
        package var sampledObjectCount = 8_192
        /// Whether the same target on two hosts is two URLs.
        package var distinguishesHosts = false

        package init(version: String, cacheByteCount: Int) {
            self.version = version
            self.cacheByteCount = cacheByteCount
        }
    }

    struct Aggregate: Sendable {
        var history: TrafficHistory
        var longHistory: TrafficHistory
        var turns = 0
        var openFiles: (count: Int?, time: Int64)?
    }

    static let windowPeriod: Int64 = 5_000_000_000
    static let longWindowPeriod: Int64 = 300_000_000_000
    /// The factor by which known reuse distances fade per long window: after a day they count half.
    static let fadingPerLongWindow = 0.997_596_2
    private static let shardCount = 64

    let configuration: Configuration
    let ticker: any Ticker
    let wallClock: any WallClock
    let start: Int64
    let hasher: TargetHasher
    let estimator: MissRatioEstimator
    let shards: [StatisticsShard]
    let aggregate: Mutex<Aggregate>
    private let hostsMatter: Atomic<Bool>
    private let cacheBytes: Atomic<Int>

    package convenience init(_ configuration: Configuration, ticker: any Ticker = MonotonicTicker(), wallClock: any WallClock = SystemWallClock()) {
        var generator = SystemRandomNumberGenerator()
        self.init(configuration, hasher: TargetHasher(using: &generator), ticker: ticker, wallClock: wallClock)
    }

    init(_ configuration: Configuration, hasher: TargetHasher, ticker: any Ticker, wallClock: any WallClock) {
        self.configuration = configuration
        self.ticker = ticker
        self.wallClock = wallClock
        self.hasher = hasher
        let (now, date) = (ticker.nanoseconds(), wallClock.now().timeIntervalSince1970)
        start = now
        estimator = MissRatioEstimator(
            ReuseDistanceSampler(
                maximumCount: configuration.sampledObjectCount,
                maximumBytes: Self.greatestSize(of: configuration.cacheByteCount),
                overheadPerObject: configuration.overheadPerEntry
            )
        )
        shards = (0..<Self.shardCount).map { _ in StatisticsShard() }
        aggregate = Mutex(
            Aggregate(
                history: TrafficHistory(period: Self.windowPeriod, capacity: 180, now: now, date: date),
                longHistory: TrafficHistory(period: Self.longWindowPeriod, capacity: 288, now: now, date: date)
            )
        )
        hostsMatter = Atomic(configuration.distinguishesHosts)
        cacheBytes = Atomic(max(1, configuration.cacheByteCount))
    }

    /// Whether the same target on two hosts is two URLs: if routes depend on the host. May change at any time.
    package var distinguishesHosts: Bool {
        get { hostsMatter.load(ordering: .relaxed) }
        set { hostsMatter.store(newValue, ordering: .relaxed) }
    }

    /// See ``Configuration/cacheByteCount``. May change at any time.
    package var cacheByteCount: Int {
        get { cacheBytes.load(ordering: .relaxed) }
        set {
            cacheBytes.store(max(1, newValue), ordering: .relaxed)
            estimator.flush { $0.maximumBytes = Self.greatestSize(of: newValue) }
        }
    }

    static func greatestSize(of cacheByteCount: Int) -> Int { min(max(1, cacheByteCount), 1 << 52) * 16 }

    /// Counts an exchange. Never waits for anything but, very rarely, another thread that counts one. O(1).
    package func record(_ report: ExchangeReport) {
        let settings = StatisticsShard.Settings(distinguishesHosts: distinguishesHosts, threshold: estimator.threshold)
        let identity = RequestIdentity(report.request, hasher: hasher, distinguishesHosts: settings.distinguishesHosts)
        let shard = shards[ThreadNumber.current & (Self.shardCount - 1)]
        if let batch = shard.record(report, identity, settings) { estimator.enqueue(batch) }
    }

    /// Keeps the history until the task is cancelled. Without it, a window of the history ends only when a caller asks for the figures.
    package func run() async {
        while !Task.isCancelled {
            let next = aggregate.withLock { min($0.history.nextEnd, $0.longHistory.nextEnd) }
            guard (try? await ticker.sleep(until: next)) != nil else { return }
            advance()
        }
    }
}
