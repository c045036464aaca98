// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hoard
internal import HoardDisk
internal import HoardHTTP

/// The records that a person means by a URL or a key.
struct RecordMatches {
    let summaries: [DiskStore.EntrySummary]

    /// A key names its one record. A URL names its responses in every scope with their variants, and its screens in every partition.
    ///
    /// - Complexity: O(log *n*) for a key, O(*n*) in the records of the store for a URL.
    init(_ name: String, in store: DiskStore) async throws {
        for key in [name, Self.unescaped(name)] {
            if let summary = try await store.entry(forKey: RecordKey(key)) {
                summaries = [summary]
                return
            }
        }
        guard let targetURI = TargetURI.normalized(name) else {
            summaries = []
            return
        }
        var filter = DiskStore.EntryFilter.all
        filter.keySubstring = Array(targetURI.utf8)
        summaries = try await store.entries(limit: .max, matching: filter)
            .filter { HTTPCacheKey(recordKey: $0.key)?.targetURI == targetURI || Self.isScreen($0.key, of: targetURI) }
    }

    /// Whether a key is that of a screen that `hoard view` has kept, of whatever partition and with whatever fields.
    private static func isScreen(_ key: RecordKey, of targetURI: String) -> Bool {
        let words = key.description.split(separator: " ", omittingEmptySubsequences: false)
        return words.count >= 3 && words[0] == "views\u{0}view" && words[2] == targetURI
    }

    /// The key with the characters that no argument can hold, as they are printed: `\u{0}`, or `\u0000` in JSON.
    private static func unescaped(_ name: String) -> String {
        name.replacingOccurrences(of: #"\u{0}"#, with: "\0").replacingOccurrences(of: #"\u0000"#, with: "\0")
    }
}
