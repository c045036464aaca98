// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
public import Logging
internal import Synchronization

/// Logs the operations of caches, with swift-log.
///
/// ```swift
/// var logger = Logger(label: "users")
/// logger.logLevel = .notice
/// let observer = CacheLogger(logger)
/// ```
///
/// | Level | Events |
/// | --- | --- |
/// | `warning` | A store begins to fail; a store has missed more invalidations than can be remembered, and loses its records. |
/// | `notice` | A store that had failed works again; records that were rejected; values that could not be encoded. |
/// | `debug` | Single loads and calls of stores. |
/// | `trace` | Single requests, and entries that leave memory. |
///
/// An event at `notice` or above is logged for a store at most once in ``interval``; the next time, the metadata
/// `suppressed` says how often it has happened meanwhile. A failure that begins too soon for that and lasts is a
/// warning later, when the store is tried again in vain. Messages are constant. Metadata are names of caches and
/// stores, words of a fixed set, counts, durations and the types of errors; never keys, tags, values or the texts of
/// errors.
public final class CacheLogger: CacheObserver {
    /// The time for which the same event of a store is not logged again.
    public let interval: Duration

    private let logger: Logger
    private let ticker: any Ticker
    private let stores = Mutex<[String: StoreLog]>([:])

    /// Names of stores beyond this many are logged, but not told apart when repetitions are left out.
    private static let maximumStoreCount = 64

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - logger: Where to, and from which level on.
    ///   - interval: See ``interval``.
    ///   - ticker: Says when `interval` is over.
    public init(_ logger: Logger, interval: Duration = .seconds(60), ticker: any Ticker = MonotonicTicker()) {
        self.logger = logger
        self.interval = interval
        self.ticker = ticker
    }

    public func requestAnswered(_ result: CacheRequestResult, tier: CacheTier?, cache: String) {
        logger.trace(
            "Cache request answered",
            metadata: ["cache": "\(cache)", "result": "\(result)", "tier": "\(tier?.description ?? CacheMetrics.noTier)"]
        )
    }

    public func entriesRemoved(_ cause: RemovalCause, count: Int, cache: String) {
        logger.trace("Cache entries removed", metadata: ["cache": "\(cache)", "cause": "\(cause)", "count": "\(count)"])
    }

    public func loadEnded(_ outcome: CacheLoadOutcome, duration: Duration, cache: String) {
        logger.debug("Cache load ended", metadata: ["cache": "\(cache)", "outcome": "\(outcome)", "duration": "\(duration)"])
    }

    public func storeCallEnded(_ call: CacheStoreCall, outcome: CacheStoreOutcome, error: StoreError?, duration: Duration) {
        guard logger.logLevel <= .debug else { return }
        var metadata: Logger.Metadata = [
            "store": "\(call.store)", "operation": "\(call.operation)", "records": "\(call.recordCount)", "outcome": "\(outcome)",
            "duration": "\(duration)",
        ]
        if let error { metadata.merge(describe(error)) { old, _ in old } }
        logger.debug("Cache store call ended", metadata: metadata)
    }

    public func eventOccurred(_ event: TieredCacheEvent) {
        let now = ticker.nanoseconds()
        let line = stores.withLock { stores in
            let name = stores[event.store] != nil || stores.count < Self.maximumStoreCount ? event.store : CacheMetrics.other
            return stores[name, default: StoreLog()].line(for: event.kind, at: now, interval: interval.saturatingNanoseconds)
        }
        var metadata: Logger.Metadata = ["store": "\(event.store)"]
        if let error = event.underlyingError { metadata.merge(describe(error)) { old, _ in old } }
        if line.suppressed > 0 { metadata["suppressed"] = "\(line.suppressed)" }
        if let outage = line.outage { metadata["outage"] = "\(outage)" }
        logger.log(level: line.level, line.message, metadata: metadata)
    }

    /// Returns the metadata that may be logged of an error: its code, if it is a store's, and its type.
    private func describe(_ error: any Error) -> Logger.Metadata {
        guard let error = error as? StoreError else { return ["error": "\(type(of: error))"] }
        guard let cause = error.underlyingError else { return ["error": "\(error.code)"] }
        return ["error": "\(error.code)", "cause": "\(type(of: cause))"]
    }
}
