// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Hoard
internal import NIOCore

/// A cache for HTTP, by RFC 9111: private, as in a client, or shared, as in a proxy.
///
/// It stands between whoever makes requests and a ``Transport``: a request that a stored response may answer is answered
/// from memory or a store, every other one goes to the origin, and what may be stored of the origin's answers is stored
/// while it streams through. `Cache-Status` (RFC 9211) on each response says which of these happened.
///
/// ``HTTPCacheStateMachine`` decides; this class does what it says.
public final class HTTPCache: Sendable {
    public let configuration: Configuration

    let entries: TieredCache<HTTPCacheKey, HTTPCacheEntry>
    let clock: any WallClock
    let budget: ByteBudget
    let rules: HTTPCacheStateMachine.Rules

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - stores: What keeps responses beyond memory, nearest first. ``close()`` closes them.
    ///   - onEvent: Told what is worth logging.
    public init(
        configuration: Configuration = Configuration(),
        stores: [any RecordStore] = [],
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker(),
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.clock = clock
        self.budget = ByteBudget(max(0, configuration.maximumBytesInFlight))
        self.rules = .init(cacheName: configuration.name, mode: configuration.mode, maximumObjectBytes: configuration.maximumObjectBytes)
        self.entries = TieredCache(
            configuration: .init(maximumWeight: max(0, configuration.maximumMemoryBytes), weigher: { _, entry in entry.weight }),
            stores: stores,
            codec: .httpCacheEntry,
            recordKey: \.recordKey,
            keyOfRecord: { HTTPCacheKey(recordKey: $0) },
            clock: clock,
            ticker: ticker,
            onEvent: onEvent
        )
    }

    /// Answers a request, from the cache if that may be, else through `transport`.
    ///
    /// The target is normalised (RFC 9110 §4.2.3) and forwarded in that form, so that what one spelling gets is never
    /// stored for another that the origin reads differently.
    ///
    /// - Parameters:
    ///   - request: A request with scheme, authority and path.
    ///   - body: The request's content. It is not read unless the request is forwarded.
    /// - Throws: ``HTTPCacheError``. A body that breaks off while it is read throws the transport's error.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody = .empty,
        through transport: any Transport
    ) async throws(HTTPCacheError) -> HTTPCacheResponse {
        guard let target = TargetURI(request) else {
            let status = CacheStatus(cacheName: configuration.name, .generated, detail: "INVALID-URI")
            throw HTTPCacheError(.invalidRequest, "The request has no usable http or https URI.", cacheStatus: status.fieldValue)
        }
        var request = request
        request.scheme = target.scheme
        request.authority = target.authority
        request.path = target.query.map { "\(target.path)?\($0)" } ?? target.path
        var machine = HTTPCacheStateMachine(request: request, hasContent: body.length != 0, rules: rules)
        switch machine.start() {
        case .respond(let answer):
            return HTTPCacheResponse(head: answer.head, body: HTTPBody(answer.body), isFromCache: answer.isStored)
        case .forward(let forwarded):
            return try await forward(forwarded, body: body, through: transport, machine: &machine, flight: nil)
        case .lookUp(let selectingFields):
            let key = HTTPCacheKey(scope: scope(for: request), targetURI: target.description)
            // Opened before anything is read: a removal from here on keeps what is fetched from being stored.
            let flight = Flight(key: key, fence: entries.openFence(forKey: key), selectingFields: selectingFields, cache: self)
            let found = await lookUp(key, selectingFields)
            flight.found = found.key
            switch machine.lookedUp(found.response, isVaryMiss: found.isVaryMiss, now: clock.now()) {
            case .respond(let answer):
                return HTTPCacheResponse(head: answer.head, body: HTTPBody(answer.body), isFromCache: answer.isStored)
            case .forward(let forwarded):
                return try await forward(forwarded, body: body, through: transport, machine: &machine, flight: flight)
            }
        }
    }

    /// Removes what is stored for a URI, with all its variants, in this cache's mode and partition.
    ///
    /// Responses that were asked for with `Authorization` in a private cache have keys of their own and are not found by this.
    ///
    /// - Returns: Whether `uri` is one of HTTP's.
    @discardableResult
    public func remove(_ uri: String) async -> Bool {
        guard let target = TargetURI.normalized(uri) else { return false }
        await entries.removeValue(forKey: HTTPCacheKey(scope: baseScope, targetURI: target))
        return true
    }

    /// Waits until the stores have everything that has been accepted for storing.
    public func flush() async {
        await entries.flush()
    }

    /// Finishes the writes under way and closes the stores.
    public func close() async {
        await entries.close()
    }

    /// The counters as they stand now.
    public var statistics: TieredCacheStatistics { entries.statistics }
}

extension TargetURI {
    /// The normalised form of an absolute `http` or `https` URI, as cache keys have it; `nil` for anything else.
    package static func normalized(_ uri: String) -> String? {
        TargetURI(URIReference(uri))?.description
    }
}
