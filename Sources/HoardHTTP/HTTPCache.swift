// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import NIOCore
internal import Synchronization

/// An HTTP cache by RFC 9111: private, as in a client, or shared, as in a proxy.
///
/// It stands between callers and a ``Transport``. It answers a request from memory or a store if a stored response may answer it,
/// and forwards every other request to the origin. It stores the origin's answers, where it may, while they stream through.
/// `Cache-Status` (RFC 9211) on each response says which of these happened.
///
/// Of requests that one answer may serve, only the first goes to the origin; the others wait for its head, and get its body as it arrives.
///
/// `HTTPCacheStateMachine` decides; this class carries out its decisions.
public final class HTTPCache: Sendable {
    /// The limits and rules the cache was created with.
    public let configuration: Configuration

    let entries: TieredCache<HTTPCacheKey, HTTPCacheEntry>
    let clock: any WallClock
    let ticker: any Ticker
    let budget: ByteBudget
    /// The limit of memory.
    private let currentMemoryBytes: Atomic<Int>
    private let resizing = Mutex(())
    let rules: HTTPCacheRules
    /// The space of requests that name no partition.
    let space: Space
    let segments: BodySegments
    let flights: Flights
    /// Whether there may be rules for some path by which parts of the query do not matter.
    let mayHaveSearchRules: Atomic<Bool>
    /// Whether there may be answers to QUERY.
    let mayHaveQueries: Atomic<Bool>
    let deadlines: DeadlineQueue
    let journal = DecisionJournal()
    let forms: FormMaker
    /// `nil`: there are none.
    let dictionaries: CompressionDictionaries?
    /// Whether there are stores that only this machine reads: ``storesMayKeep(_:insteadOf:forKey:)``.
    let storesMayLag: Bool
    let counters = Mutex(HTTPCacheStatistics())
    /// The part of ``HTTPCacheStatistics/hits`` that is counted without a lock: see ``freshHit(targetURI:)``.
    let freshHits = Atomic<Int>(0)
    /// The part of ``HTTPCacheStatistics/misses`` whose responses were passed on as they came, counted so too.
    let passedOnMisses = Atomic<Int>(0)
    /// The recorder that is told of requests.
    let recording = Mutex<Recording?>(nil)
    /// Whether there is a recorder. Without one, no request takes the lock.
    let isRecording = Atomic<Bool>(false)
    /// The responses that are being revalidated in the background.
    let refreshes = Mutex<Set<HTTPCacheKey>>([])
    /// Revalidations in the background, and removals.
    let work: BackgroundWork
    /// Requests that others may join, and bodies that are being received.
    let transfers = BackgroundWork(maximumCount: .max)

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - stores: The stores below memory, nearest first. ``close()`` closes them.
    ///   - onEvent: Receives events worth logging.
    public init(
        configuration: Configuration = Configuration(),
        stores: [any RecordStore] = [],
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void = { _ in }
    ) {
        let rules = configuration.rules(hasStores: !stores.isEmpty)
        let memoryBytes = max(0, configuration.maximumMemoryBytes)
        currentMemoryBytes = Atomic(memoryBytes)
        let isShared = stores.contains { $0 is any SharedRecordStore }
        var tiers = TieredCache<HTTPCacheKey, HTTPCacheEntry>.Configuration(maximumWeight: memoryBytes, weigher: { _, entry in entry.weight })
        tiers.writeGathering = isShared ? .zero : configuration.writeGathering
        let entries = TieredCache<HTTPCacheKey, HTTPCacheEntry>(
            configuration: tiers,
            stores: stores,
            codec: .httpCacheEntry(rules: rules),
            storedRecordKey: { $0.isMemoryOnly ? nil : $0.recordKey },
            keyOfRecord: { HTTPCacheKey(recordKey: $0) },
            clock: clock,
            ticker: ticker,
            onEvent: onEvent
        )
        let work = BackgroundWork(maximumCount: .max)
        self.configuration = configuration
        self.clock = clock
        self.ticker = ticker
        self.rules = rules
        self.entries = entries
        self.work = work
        budget = ByteBudget(max(0, configuration.maximumBytesInFlight))
        space = Space(configuration.mode, partition: configuration.partition)
        let deadlines = DeadlineQueue(ticker: ticker)
        segments = BodySegments(
            entries: entries,
            clock: clock,
            maximumLengthInMemory: stores.isEmpty ? nil : memoryBytes / 16,
            work: work,
            grace: isShared ? .init(duration: .seconds(60), ticker: ticker, deadlines: deadlines) : nil
        )
        storesMayLag = !stores.isEmpty && !isShared
        flights = Flights(ticker: ticker)
        forms = FormMaker(maximumBytes: min(rules.maximumObjectBytes, FormMaker.longestContent))
        let dictionaryBytes = rules.codings?.maximumDictionaryBytes ?? 0
        dictionaries = dictionaryBytes > 0 ? CompressionDictionaries(maximumBytes: dictionaryBytes) : nil
        // Stores may have some from before, or from others.
        mayHaveSearchRules = Atomic(!stores.isEmpty)
        mayHaveQueries = Atomic(!stores.isEmpty)
        self.deadlines = deadlines
        entries.setForeignChangeHandler { [weak self] in self?.heed($0) }
    }

    /// The present limit on the bytes in memory.
    var memoryBytes: Int { currentMemoryBytes.load(ordering: .relaxed) }

    func setMemoryBytes(_ bytes: Int) {
        resizing.withLock { _ in
            currentMemoryBytes.store(bytes, ordering: .relaxed)
            entries.setMaximumMemoryWeight(bytes)
        }
    }

    /// Waits until the stores have every response accepted so far, and the background revalidations started so far are over. Of a response that the
    /// origin has only confirmed again, a store of this machine may have an earlier form.
    public func flush() async {
        await work.waitUntilIdle()
        await entries.flush()
    }

    /// Waits until nothing is received from an origin any more. Suspends until then, however slow an origin is.
    package func transfersEnd() async { await transfers.waitUntilIdle() }

    /// Finishes the writes under way and closes the stores.
    public func close() async {
        flights.removeAll()
        await flush()
        await entries.close()
    }

    /// The beginning of the keys of requests that name no partition and have no credentials.
    var baseScope: String { space.baseScope }

    /// The present values of the counters.
    public var statistics: HTTPCacheStatistics {
        var statistics = counters.withLock { $0 }
        statistics.hits += freshHits.load(ordering: .relaxed)
        let passedOn = passedOnMisses.load(ordering: .relaxed)
        statistics.misses += passedOn
        statistics.originRequests += passedOn
        return statistics
    }

    /// The counters of memory and the stores.
    public var tierStatistics: TieredCacheStatistics { entries.statistics }
}

extension TargetURI {
    /// The normalised form of an absolute `http` or `https` URI, as cache keys have it; `nil` for anything else.
    package static func normalized(_ uri: String) -> String? {
        TargetURI(URIReference(uri))?.description
    }
}
