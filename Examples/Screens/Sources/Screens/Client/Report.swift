// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardViews

/// The lines of the client: each action, its screen, its outcome, and the requests that the server has seen.
struct Report: Sendable {
    let print: @Sendable (String) -> Void

    func say(_ text: String = "") { print(text) }

    func visit(_ verb: String, _ visit: Visit) {
        row(verb, Self.name(visit.path), visit.outcome.rawValue, visit.note, visit.requests)
    }

    func prefetch(_ report: PrefetchReport, _ requests: RequestCounts?) {
        let count = report.results.count
        let kept = report.alreadyKeptCount
        var note = kept == 0 ? "kept for when they are needed" : "\(kept) of them kept already"
        if kept == count { note = "kept already" }
        if report.failedCount > 0 { note = "\(report.failedCount) of them could not be fetched" }
        row("prefetch", count == 1 ? "1 screen" : "\(count) screens", "", note, requests)
    }

    /// The counters of the client, and of the server.
    func statistics(_ statistics: ViewClientStatistics, _ counts: RequestCounts?) {
        let hits = statistics.memoryHits + statistics.cacheHits
        say("  Opened: \(statistics.fetches). Hits: \(hits), prefetched: \(statistics.prefetchedUses), misses: \(statistics.misses),")
        say("  renewed: \(statistics.renewals), stand-ins: \(statistics.standIns), failed: \(statistics.failures).")
        say("  Prefetched: \(statistics.prefetches), of which nobody wanted \(statistics.unusedPrefetches) in time.")
        say("  The server has seen: \(Self.words(counts)), of all clients together.")
    }

    private func row(_ verb: String, _ name: String, _ outcome: String, _ note: String, _ requests: RequestCounts?) {
        let columns = [(verb, 9), (name, 16), (outcome, 11), (note, 42)].map { text, width in
            let text = text.withoutControls
            return text + String(repeating: " ", count: max(0, width - text.count))
        }
        print("  " + columns.joined(separator: " ") + " " + Self.words(requests))
    }

    /// `1 request (304)`
    private static func words(_ counts: RequestCounts?) -> String {
        guard let counts else { return "server away" }
        let requests = counts.requests == 1 ? "1 request" : "\(counts.requests) requests"
        guard counts.notModified > 0 else { return requests }
        return counts.notModified == counts.requests ? requests + " (304)" : requests + " (\(counts.notModified) of them 304)"
    }

    /// `/screens/products/1` is `products/1`.
    static func name(_ path: String) -> String {
        path.hasPrefix("/screens/") ? String(path.dropFirst("/screens/".count)) : path
    }
}
