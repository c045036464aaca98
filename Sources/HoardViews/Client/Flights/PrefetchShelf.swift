// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The screens that prefetches have brought and no fetch has asked for yet: bounded by count and bytes, each for its time.
struct PrefetchShelf<Content> {
    struct Entry {
        let content: Content
        let byteCount: Int
        let record: PrefetchRecord
        fileprivate let number: UInt64
    }

    let maximumCount: Int
    let maximumBytes: Int
    private var entries: [ViewKey: Entry] = [:]
    private var lastNumber: UInt64 = 0
    private(set) var byteCount = 0

    init(maximumCount: Int, maximumBytes: Int) {
        self.maximumCount = max(0, maximumCount)
        self.maximumBytes = max(0, maximumBytes)
    }

    var count: Int { entries.count }

    /// Keeps the content of a prefetch. O(*n*).
    ///
    /// - Returns: The answers that leave because of it, to be released outside the lock: the oldest, the one that was
    ///   there under the key, or the new one if there is no room for it at all.
    mutating func add(_ content: Content, byteCount: Int, record: PrefetchRecord, forKey key: ViewKey, now: Int64) -> [Entry] {
        lastNumber += 1
        let entry = Entry(content: content, byteCount: byteCount, record: record, number: lastNumber)
        var dropped = removeExpired(now: now)
        if let replaced = remove(key) { dropped.append(replaced) }
        guard byteCount <= maximumBytes, maximumCount > 0, record.deadline > now else { return dropped + [entry] }
        while entries.count >= maximumCount || self.byteCount + byteCount > maximumBytes,
            let oldest = entries.min(by: { $0.value.number < $1.value.number })?.key, let removed = remove(oldest)
        {
            dropped.append(removed)
        }
        entries[key] = entry
        self.byteCount += byteCount
        return dropped
    }

    /// The entry under a key, unless its time has passed. It stays on the shelf.
    func entry(forKey key: ViewKey, now: Int64) -> Entry? {
        entries[key].flatMap { $0.record.deadline > now ? $0 : nil }
    }

    /// Takes the entry under a key, also if it has expired: the caller has to look at that.
    mutating func remove(_ key: ViewKey) -> Entry? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        byteCount -= entry.byteCount
        return entry
    }

    mutating func remove(_ scope: RemovalScope) -> [Entry] {
        entries.keys.filter { scope.covers($0) }.compactMap { remove($0) }
    }

    mutating func removeExpired(now: Int64) -> [Entry] {
        entries.filter { $0.value.record.deadline <= now }.keys.compactMap { remove($0) }
    }
}

extension PrefetchShelf.Entry: Sendable where Content: Sendable {}
