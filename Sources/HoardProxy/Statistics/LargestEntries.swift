// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The largest of the cached objects that were asked for.
struct LargestEntries: Sendable {
    struct Entry: Sendable {
        var hash: UInt64
        var bytes: Int
        var uri: String
    }

    let capacity: Int
    private(set) var entries: [Entry] = []
    /// The size that an object must exceed to be among them.
    private(set) var least = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Notes an object. O(1) if it is too small, else O(``capacity``).
    ///
    /// - Parameter uri: Writes the URL; called only if it is needed.
    @inline(__always)
    mutating func add(_ hash: UInt64, bytes: Int, uri: () -> String) {
        if bytes > least { insert(hash, bytes: bytes, uri: uri) }
    }

    private mutating func insert(_ hash: UInt64, bytes: Int, uri: () -> String) {
        if let place = entries.firstIndex(where: { $0.hash == hash }) {
            entries[place].bytes = bytes
        } else if entries.count < capacity {
            entries.append(Entry(hash: hash, bytes: bytes, uri: uri()))
        } else if let smallest = entries.indices.min(by: { entries[$0].bytes < entries[$1].bytes }) {
            entries[smallest] = Entry(hash: hash, bytes: bytes, uri: uri())
        }
        least = entries.count < capacity ? 0 : entries.lazy.map(\.bytes).min() ?? 0
    }
}
