// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting

/// A cache between a random client and a random origin, judged by a ``PlainCache``. All of it
/// follows from the seed.
struct DifferentialRun {
    /// 2026-01-01 00:00:00 GMT, where a test's time starts.
    private static let start = 1_767_225_600

    private let seed: UInt64
    private let isShared: Bool
    /// Whether answers take time. Then nothing is done behind clients' backs, whose order would be open.
    private let hasDelays: Bool
    private let origin: ObservedOrigin
    private let harness: CacheHarness
    private var plain: PlainCache
    private var client: RandomClient
    private var random: RandomSource
    /// The latest exchanges with each URI.
    private var history: [String: [PlainExchange]] = [:]
    /// The exchanges that needed no request to the origin.
    private(set) var hitCount = 0
    private(set) var confirmationCount = 0

    init(seed: UInt64, mistakes: Set<PlainCache.Mistake> = []) {
        var random = RandomSource(seed: seed)
        // Seeds that follow each other give first numbers that are alike.
        for _ in 1...4 { _ = random.next() }
        self.seed = seed
        isShared = seed % 2 == 0
        hasDelays = seed % 4 > 1
        let time = TestTime()
        let origin = ObservedOrigin(seed: random.next(), time: time, now: Self.start)
        self.origin = origin
        harness = CacheHarness(mode: isShared ? .shared : .private, time: time, transport: FakeTransport { origin.handle($0) })
        plain = PlainCache(isShared: isShared, mistakes: mistakes)
        client = RandomClient(seed: random.next())
        self.random = random
    }

    /// Makes exchanges until one is wrong.
    ///
    /// - Returns: That exchange, with the exchanges before it and the answers that are allowed.
    mutating func difference(count: Int) async -> String? {
        // With too many states that may be, the run is over: nothing would be a surprise any more.
        for number in 1...count where plain.largestCount < 100 {
            if let text = await step() { return "Seed \(seed), exchange \(number), \(isShared ? "shared" : "private"):\n\(text)" }
        }
        return nil
    }

    private mutating func step() async -> String? {
        let uri = client.uri()
        if random.once(in: 12) { origin.change(uri) }
        let request = client.request(uri, now: origin.now)
        origin.advance(client.pause(edges(request)))
        origin.setDelay(hasDelays && random.once(in: 3) ? random.int(1...4) : 0)
        let exchange = await exchange(request)
        client.learn(exchange.reply, uri)
        if exchange.calls.isEmpty { hitCount += 1 }
        if exchange.calls.first?.response?.status == 304, exchange.reply.status != 304 { confirmationCount += 1 }
        defer { history[uri] = ((history[uri] ?? []) + [exchange]).suffix(12) }
        guard let allowed = plain.difference(in: exchange) else { return nil }
        let before = (history[uri] ?? []).map { "\($0)" }.joined(separator: "\n")
        return "\(before)\nThe last one is wrong:\n\(exchange)\nAllowed:\n\(allowed)"
    }

    private func exchange(_ request: PlainRequest) async -> PlainExchange {
        var exchange = PlainExchange(request: request, time: origin.now)
        do {
            let reply = try await harness.send(.init(request.method) ?? .get, request.uri, HTTPFields(request.fields))
            exchange.reply = PlainReply(reply)
        } catch {
            // The request failed, as the reply says from the start.
        }
        await harness.cache.flush()
        exchange.calls = origin.takeCalls()
        return exchange
    }

    /// The seconds until something stored becomes stale, or must no longer be served stale.
    private func edges(_ request: PlainRequest) -> [Int] {
        let now = origin.now
        guard let world = plain.worlds(request).first else { return [] }
        return world.flatMap { stored in
            let periods = ["stale-while-revalidate", "stale-if-error"].compactMap { stored.directives.first($0) }
            return ([0] + periods).map { $0 - stored.staleness(at: now) }
        }.filter { (1...1000).contains($0) }
    }
}

extension PlainReply {
    init(_ reply: Reply) {
        let fields = PlainFields(reply.head.headerFields)
        self.init(
            status: reply.code,
            body: reply.text,
            eTag: fields["etag"],
            lastModified: fields["last-modified"],
            cacheControl: fields["cache-control"],
            contentRange: fields["content-range"],
            age: fields["age"]
        )
    }
}
