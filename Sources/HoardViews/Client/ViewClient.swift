// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import Hoard
public import HoardHTTP
public import Logging
internal import Synchronization

/// Gets the screens that a server describes: from its cache, from the server, or by asking the server whether the kept
/// screen is still right.
///
/// ```swift
/// let client = ViewClient(
///     dependencies: .init(
///         urlBuilder: URLBuilder(baseURL: URL(string: "https://example.com/api")),
///         client: CachingClient(transport: AsyncHTTPClientTransport(), stores: [disk]),
///         cache: CacheManager(store: disk)
///     )
/// )
/// let home = try await client.fetch("/home")
/// ```
///
/// A screen is valid as long as its response says (`Cache-Control`). The cache manager keeps a response with a hash (`beagle-hash`). When it is not
/// valid any more, the server is asked with that hash, and an answer of 304 renews the kept response. The caching client keeps no copy of it. All
/// other responses are kept by the caching client, with the validators of HTTP.
///
/// At most one request is under way for a screen, however many callers ask, by ``fetch(_:)`` or ``prefetch(_:options:)->Prefetch`` and in any form.
/// Each caller can be cancelled by itself; the request is cancelled when the last one has left.
///
/// A decoded screen is kept in memory beside its bytes. Each state of a screen is decoded once.
///
/// Everything belongs to the partition of its request: ``removePartition(_:)`` is for logging out.
public final class ViewClient: ViewClientProtocol {
    /// The parts that a client works with.
    public struct Dependencies: Sendable {
        /// Makes URLs of paths.
        public var urlBuilder: any URLBuilding
        /// Sends requests, and keeps responses by the rules of HTTP. `nil`: only kept screens can be shown.
        public var client: CachingClient?
        /// Decodes components.
        public var coder: any ComponentCoding
        /// Keeps screens that have a hash. `nil`: screens are kept by the caching client alone.
        public var cache: (any CacheManagerProtocol)?
        /// Gets events, without keys, URLs or contents.
        public var logger: Logger

        /// Names the parts of a client.
        public init(
            urlBuilder: any URLBuilding,
            client: CachingClient?,
            coder: any ComponentCoding = ComponentCoder(),
            cache: (any CacheManagerProtocol)? = nil,
            logger: Logger = Logger(label: "hoard.views")
        ) {
            self.urlBuilder = urlBuilder
            self.client = client
            self.coder = coder
            self.cache = cache
            self.logger = logger
        }
    }

    /// The parts that the client works with.
    public let dependencies: Dependencies
    /// The settings that the client was created with.
    public let configuration: Configuration

    let clock: any WallClock
    let ticker: any Ticker
    let flights: ViewFlights
    let decoded: Cache<ViewKey, DecodedScreen>
    /// `nil` if the hash protocol is off.
    let hashField: HTTPField.Name?
    let counters = Mutex(ViewClientStatistics())

    /// Creates a client. Nothing is sent or read yet.
    ///
    /// - Parameters:
    ///   - clock: Dates screens.
    ///   - ticker: Measures for how long prefetched screens are kept.
    public init(
        dependencies: Dependencies,
        configuration: Configuration = Configuration(),
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker()
    ) {
        self.dependencies = dependencies
        self.configuration = configuration
        self.clock = clock
        self.ticker = ticker
        flights = ViewFlights(limits: configuration.prefetchLimits, ticker: ticker)
        decoded = Cache(
            configuration: .init(
                maximumWeight: max(0, configuration.maximumMemoryBytes),
                weigher: { key, screen in screen.weight + key.address.utf8.count * 2 }
            ),
            ticker: ticker
        )
        hashField = dependencies.cache == nil ? nil : HTTPField.Name(configuration.hashFieldName)
    }

    /// The numbers as they stand now. Prefetches that have expired are removed.
    public var statistics: ViewClientStatistics {
        var statistics = counters.withLock { $0 }
        flights.report(to: &statistics)
        return statistics
    }

    func count(_ change: (inout ViewClientStatistics) -> Void) {
        counters.withLock { change(&$0) }
    }
}
