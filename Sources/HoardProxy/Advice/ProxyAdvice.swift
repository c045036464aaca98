// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import HoardSimulator

/// Advice from the figures of a running proxy, and from its entries.
struct ProxyAdvice: Sendable {
    /// So many entries are looked at.
    private static let entryLimit = 20_000

    let cache: HTTPCache
    let statistics: ProxyStatistics.Snapshot

    /// Walks over entries, in pages between which requests are served. O(entries), of 20,000 at most.
    func document() async -> AdviceDocument {
        var contents = ContentsAdvice()
        var (cursor, count) = (HTTPCache.EntryCursor?.none, 0)
        repeat {
            let page = await cache.entries(matching: HTTPCache.EntryFilter(), after: cursor, limit: 1_000)
            for entry in page.entries { contents.add(uri: entry.uri, variant: entry.variant, byteCount: entry.byteCount) }
            count += page.entries.count
            cursor = page.next
        } while cursor != nil && count < Self.entryLimit
        var advice = contents.advice
        var gaps = ["Lifetimes, validators, waiting and collapsing are judged by “hoard advise” from an access log of the format json."]
        if let curve = statistics.missRatioCurve, curve.sampledRequests >= 5_000 {
            let points = curve.points.map { (bytes: $0.bytes, missRatio: $0.missRatio) }.sorted { $0.bytes < $1.bytes }
            if let size = ContentsAdvice.sizeAdvice(points: points, currentBytes: curve.currentBytes, requests: curve.sampledRequests) {
                advice.insert(size, at: 0)
            }
        } else {
            gaps.insert("Too few requests have come yet to judge the size of memory.", at: 0)
        }
        return AdviceDocument(advice, notJudged: gaps)
    }
}
