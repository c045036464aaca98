// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension HTTPCache {
    /// The most entries on a page.
    static let maximumPageCount = 1_000
    /// The most places of memory and records that are looked at for a page. A search that finds little goes on with the next one.
    static let maximumExaminedCount = 8_192

    /// Returns a page of the stored responses of one partition, in no particular order. Suspends. Counts neither as a use nor as a request.
    ///
    /// First come the responses of the stores that can list (``ListingRecordStore``), then those that only memory has. A response that is there from the first
    /// page to the last, and is not written meanwhile, is on exactly one of them. It may be on two if memory is divided into shards meanwhile, which
    /// happens once. The work for one page is bounded, however much is cached and however little of it matches: of each entry listed the record is
    /// read, of the others only the store's own summary.
    ///
    /// - Parameters:
    ///   - cursor: Where the page before has ended; `nil` for the first page.
    ///   - limit: The most entries on the page, from 1 to 1,000.
    ///   - partition: Whose responses. `nil`: the one of the configuration.
    public func entries(
        matching filter: EntryFilter = EntryFilter(),
        after cursor: EntryCursor? = nil,
        limit: Int = 100,
        partition: String? = nil
    ) async -> EntryPage {
        let condition = Condition(filter, scope: space(partition: partition).baseScope)
        let limit = min(max(limit, 1), Self.maximumPageCount)
        var found: [Entry] = []
        var examined = 0
        var next: Position? = cursor?.position ?? .start
        while let start = next, found.count < limit, examined < Self.maximumExaminedCount {
            let left = limit - found.count
            // More than fit are looked at, in case that few of them match.
            var count = condition.isSelective ? max(left, 256) : left
            var (listed, following) = await matching(condition, from: start, count)
            examined += count
            if listed.count > left {
                count = left
                (listed, following) = await matching(condition, from: start, count)
                examined += count
            }
            for one in listed {
                if let entry = await entry(one) { found.append(entry) }
            }
            next = following
        }
        return EntryPage(entries: found, next: next.map { EntryCursor($0) })
    }

    private func matching(_ condition: Condition, from start: Position, _ count: Int) async -> ([Listed], Position?) {
        let (entries, next) = await self.entries.listing(from: start, limit: count, where: condition.includes)
        return (entries.filter(condition.includes), next)
    }

    /// - Returns: `nil` if it is not a response, or has gone meanwhile.
    private func entry(_ listed: Listed) async -> Entry? {
        guard case .response(let response)? = await entries.peek(forKey: listed.key) else { return nil }
        return Entry(
            uri: listed.key.listedURI,
            variant: listed.key.listedVariant,
            status: response.statusCode,
            byteCount: response.body.storedByteCount,
            storedAt: response.responseTime,
            freshUntil: listed.freshUntil,
            isFresh: listed.freshUntil.map { clock.now() < $0 } ?? true,
            isInMemory: listed.isInMemory,
            isInStore: listed.store != nil,
            tags: response.foreignTags,
            groups: response.groups
        )
    }

    typealias Listed = TieredCache<HTTPCacheKey, HTTPCacheEntry>.Listed

    /// A filter, ready to be asked.
    private struct Condition: Sendable {
        let scope: String
        let text: [UInt8]
        /// One of them is enough; none if there is no such condition.
        let prefixes: [[UInt8]]
        let tag: String?

        init(_ filter: EntryFilter, scope: String) {
            self.scope = scope
            text = filter.text.utf8.map(\.lowercased)
            let prefixes = filter.prefix.isEmpty ? [] : [filter.prefix] + filter.otherPrefixes
            self.prefixes = prefixes.map { Array((TargetURI.normalized($0) ?? $0).utf8) }
            tag = filter.tag
        }

        var isSelective: Bool { !text.isEmpty || !prefixes.isEmpty || tag != nil }

        @Sendable func includes(_ key: HTTPCacheKey) -> Bool {
            guard !key.isSegment, key.storedBaseScope == scope else { return false }
            if text.isEmpty, prefixes.isEmpty { return true }
            let uri = Array(key.listedURI.utf8)
            return (prefixes.isEmpty || prefixes.contains { uri.starts(with: $0) }) && (text.isEmpty || uri.containsIgnoringCase(text))
        }

        func includes(_ listed: Listed) -> Bool {
            // An index of variants, or rules for queries, is fresh for ever.
            guard listed.freshUntil != nil else { return false }
            guard let tag else { return true }
            return !tag.isOfCache && listed.tags.contains(tag)
        }
    }
}

extension HTTPCache.EntryCursor {
    typealias Position = TieredCache<HTTPCacheKey, HTTPCacheEntry>.ListingPosition
}

extension HTTPCache {
    fileprivate typealias Position = EntryCursor.Position
}

extension TieredCache<HTTPCacheKey, HTTPCacheEntry>.ListingPosition {
    /// Letters, digits and hyphens.
    var text: String {
        switch self {
        case .store(let index, let cursor): "s\(index)" + (cursor.map { "-\($0.text)" } ?? "")
        case .memory(let shard, let slot): "m\(shard)-\(slot)"
        }
    }

    /// Reads back ``text``.
    init?(_ text: String) {
        let parts = text.dropFirst().split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = parts.first.flatMap({ Int($0) }), number >= 0 else { return nil }
        switch text.first {
        case "s":
            if parts.count > 1, parts[1].isEmpty { return nil }
            self = .store(index: number, parts.count > 1 ? RecordCursor(text: String(parts[1])) : nil)
        case "m":
            guard parts.count > 1, let slot = Int(parts[1]), slot >= 0 else { return nil }
            self = .memory(shard: number, slot: slot)
        default: return nil
        }
    }
}

extension HTTPCacheKey {
    /// The URI as people are told of it.
    var listedURI: String {
        guard let variant, variant.utf8.first == .questionMark else { return targetURI }
        // After the rules comes the part of the query that matters; then, maybe, the part that selects a variant.
        let parts = variant.split(separator: "\n", omittingEmptySubsequences: false)
        return parts.count == 2 || parts.count == 5 ? "\(targetURI)?\(parts[1])" : targetURI
    }

    /// The names of the fields that select the variant, and some of its digest; before them the same of the content of a QUERY.
    var listedVariant: String? {
        guard let parts = variant?.split(separator: "\n", omittingEmptySubsequences: false) else { return nil }
        let content = queryDigest.map { "QUERY #\($0.prefix(8))" }
        let fields = parts.count >= 3 ? "\(parts[parts.count - 2]) #\(parts[parts.count - 1].prefix(8))" : nil
        let texts = [content, fields].compactMap(\.self)
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }
}

extension String {
    /// Whether it is a tag that the cache gives by itself (``HTTPCache/uriTag(_:baseScope:)``, ``CacheGroups``).
    fileprivate var isOfCache: Bool { HTTPCache.isURITag(self) || CacheGroups.name(ofMark: self) != nil }
}

extension [UInt8] {
    /// Whether `other`, which is in small letters, is a part of these bytes. O(n · m) at worst.
    fileprivate func containsIgnoringCase(_ other: [UInt8]) -> Bool {
        guard other.count <= count else { return false }
        return (0...(count - other.count)).contains { start in
            other.indices.allSatisfy { self[start + $0].lowercased == other[$0] }
        }
    }
}
