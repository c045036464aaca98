// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardDisk
internal import HoardHTTP

/// The records that a person means by a URL or a key.
struct RecordMatches {
    let summaries: [DiskStore.EntrySummary]

    /// A key names its one record. A URL names its responses in every scope, and their variants.
    ///
    /// - Complexity: O(log *n*) for a key, O(*n*) in the records of the store for a URL.
    init(_ name: String, in store: DiskStore) async throws {
        let key = RecordKey(name)
        if let summary = try await store.entry(forKey: key) {
            summaries = [summary]
            return
        }
        guard let targetURI = TargetURI.normalized(name) else {
            summaries = []
            return
        }
        var filter = DiskStore.EntryFilter.all
        filter.keySubstring = Array("\n\(targetURI)".utf8)
        summaries = try await store.entries(limit: .max, matching: filter)
            .filter { HTTPCacheKey(recordKey: $0.key)?.targetURI == targetURI }
    }
}
