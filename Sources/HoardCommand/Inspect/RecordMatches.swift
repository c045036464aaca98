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
    /// - Complexity: O(*n*) in the records of the store.
    init(_ name: String, in store: DiskStore) async throws {
        let key = RecordKey(name)
        let targetURI = TargetURI.normalized(name)
        var matches: [DiskStore.EntrySummary] = []
        var offset = 0
        while true {
            let page = try await store.entries(limit: 500, offset: offset)
            matches += page.filter { summary in
                summary.key == key || (targetURI != nil && HTTPCacheKey(recordKey: summary.key)?.targetURI == targetURI)
            }
            if page.count < 500 { break }
            offset += page.count
        }
        self.summaries = matches
    }
}
