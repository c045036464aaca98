// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import HoardNIO

/// The hottest URLs and the largest objects of the last minutes, of a part of the requests.
///
/// One request in ``stride`` on average is looked at, and counts as that many. It is drawn at random, so that no rhythm of the requests can hide a URL.
/// Counts older than two calls of ``turn(largestToo:)`` are forgotten.
struct PopularURLs: Sendable {
    static let hottestCapacity = 128
    static let largestCapacity = 16
    /// Requests that are looked at between two calls of ``adapt()``, about.
    static let samplesWanted = 1_000

    /// The current and the previous period.
    private(set) var hottest = (SpaceSaving(capacity: hottestCapacity), SpaceSaving(capacity: hottestCapacity))
    private(set) var largest = (LargestEntries(capacity: largestCapacity), LargestEntries(capacity: largestCapacity))
    private(set) var stride = 1
    private var countdown = 1
    private var requestsSinceAdaption = 0
    private var random: UInt64 = .random(in: .min ... .max)

    @inline(__always)
    mutating func add(_ report: ExchangeReport, _ identity: RequestIdentity, _ reference: ObjectAccess?, distinguishesHosts: Bool) {
        requestsSinceAdaption &+= 1
        if let reference, reference.length == .whole {
            largest.0.add(identity.hash, bytes: reference.bytes) { RequestIdentity.uri(of: report, distinguishesHosts: distinguishesHosts) }
        }
        countdown &-= 1
        if countdown <= 0 { look(at: report, identity, distinguishesHosts: distinguishesHosts) }
    }

    private mutating func look(at report: ExchangeReport, _ identity: RequestIdentity, distinguishesHosts: Bool) {
        hottest.0.add(identity.hash, requests: stride, bytes: stride * max(0, report.contentByteCount)) {
            RequestIdentity.uri(of: report, distinguishesHosts: distinguishesHosts)
        }
        drawCountdown()
    }

    /// From 1 to twice the stride less 1, each equally likely.
    private mutating func drawCountdown() {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        countdown = 1 + Int(truncatingIfNeeded: (random >> 32) % UInt64(2 * stride - 1))
    }

    /// Looks at so many requests from now on as fit the number that came since the last call.
    mutating func adapt() {
        stride = max(1, min(requestsSinceAdaption / Self.samplesWanted, 1 << 20))
        requestsSinceAdaption = 0
        drawCountdown()
    }

    /// Begins a new period, and forgets the one before the last. Periods of the largest objects are longer than those of the hottest URLs.
    mutating func turn(largestToo: Bool) {
        hottest = (SpaceSaving(capacity: Self.hottestCapacity), hottest.0)
        if largestToo { largest = (LargestEntries(capacity: Self.largestCapacity), largest.0) }
    }

    // MARK: Results

    /// The hottest URLs of several parts, the hottest first. Requests that may have been other URLs' do not count.
    static func hottest(of parts: [PopularURLs], count: Int) -> [ProxyStatistics.Snapshot.HotURL] {
        var byHash: [UInt64: ProxyStatistics.Snapshot.HotURL] = [:]
        for summary in parts.flatMap({ [$0.hottest.0, $0.hottest.1] }) {
            for (hash, counter) in zip(summary.hashes, summary.counters) {
                byHash[hash, default: .init(uri: counter.uri, requests: 0, bytes: 0)].requests += counter.certainRequests
                byHash[hash]?.bytes += counter.bytes
            }
        }
        return Array(byHash.values.sorted { ($0.requests, $0.bytes, $1.uri) > ($1.requests, $1.bytes, $0.uri) }.prefix(count))
    }

    /// The largest objects of several parts, the largest first.
    static func largest(of parts: [PopularURLs], count: Int) -> [ProxyStatistics.Snapshot.LargeEntry] {
        var byHash: [UInt64: ProxyStatistics.Snapshot.LargeEntry] = [:]
        // Of one object the newest length counts, and that is in the current period if it is in both.
        for entries in parts.map(\.largest.1.entries) + parts.map(\.largest.0.entries) {
            for entry in entries { byHash[entry.hash] = .init(uri: entry.uri, bytes: entry.bytes) }
        }
        return Array(byHash.values.sorted { ($0.bytes, $1.uri) > ($1.bytes, $0.uri) }.prefix(count))
    }
}
