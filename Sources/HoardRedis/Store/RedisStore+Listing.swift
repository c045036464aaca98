// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import NIOCore
internal import Synchronization

extension RedisStore: ListingRecordStore {
    /// Lists the records that the server finds (`SCAN`), node by node.
    ///
    /// The store remembers up to 262,144 keys of a listing, so that each is listed once although the server may find it twice. Of further keys, some
    /// may be listed twice if the server's table of keys shrinks during the listing. Eight listings can be under way; a cursor of an older one is
    /// refused. Records that were removed by tag, by partition or with everything, and would stay for more than an hour, are removed when they are
    /// found.
    ///
    /// If a connection has ended or slots of a cluster have gone to other nodes during the listing, the servers are asked once more, because a key may
    /// have gone to one that was asked before. A key whose slot is still being moved at the end may be left out.
    /// - Throws: ``StoreError/Code/unavailable`` also if not all nodes of a cluster are known or can be asked, or slots move all the time.
    /// - Complexity: O(`limit`) as long as the database has few other keys. A page looks at about 32,000 of those at most, and may then be empty.
    public func recordPage(after cursor: RecordCursor?, limit: Int) async throws(StoreError) -> RecordPage {
        try checkOpen()
        let limit = max(1, limit)
        var listing: RecordListings.Listing
        var isAgain = false
        if let cursor {
            guard let taken = listings.withLock({ $0.take(cursor) }) else { throw .foreignCursor(name) }
            (listing, isAgain) = taken
        } else {
            let (nodes, eventCount) = try await nodesNow()
            listing = listings.withLock { $0.begin(nodes: nodes, eventCount: eventCount) }
        }
        do throws(StoreError) {
            if !isAgain { try await find(limit, &listing) }
        } catch {
            // The keys found so far are kept, and the caller can ask for the page again.
            let kept = listing
            if cursor != nil { listings.withLock { $0.put(kept) } }
            throw error
        }
        let page = isAgain ? listing.lastPage : listing.takePage(limit: limit)
        let kept = listing
        if !kept.isComplete { listings.withLock { $0.put(kept) } }
        do throws(StoreError) {
            return RecordPage(records: try await summaries(of: page), next: kept.cursor)
        } catch {
            // The caller can ask for the last page of all again, too.
            if kept.isComplete, cursor != nil { listings.withLock { $0.put(kept) } }
            throw error
        }
    }

    /// Asks the servers until there are enough keys for a page, or enough was looked at.
    private func find(_ limit: Int, _ listing: inout RecordListings.Listing) async throws(StoreError) {
        let count = min(1_000, max(100, limit))
        for _ in 0..<32 where listing.found.count < limit {
            guard let node = listing.nodes.first else { return }
            let (keys, next) = try await scan(node, from: listing.scanCursor, count: count, pattern: self.keys.recordPattern)
            let isEnd = next == RecordListings.Listing.start && listing.nodes.count == 1
            let again = isEnd ? try await nodesToAskAgain(for: listing) : nil
            listing.add(keys.compactMap { recordKey($0) }, next: next)
            if let again { listing.beginAgain(nodes: again.nodes, eventCount: again.eventCount) }
        }
    }

    /// All servers, and how many connections had begun or ended before they were looked for. A slot that goes to another node counts as both.
    private func nodesNow() async throws(StoreError) -> (nodes: [any RedisConnection], eventCount: Int) {
        let eventCount = coherence.withLock { $0.connectionEventCount }
        return (try await allNodes(), eventCount)
    }

    /// The servers to ask once more at the end of a listing; `nil` if no key can have gone to one that was asked before.
    private func nodesToAskAgain(
        for listing: RecordListings.Listing
    ) async throws(StoreError) -> (nodes: [any RedisConnection], eventCount: Int)? {
        let now = try await nodesNow()
        if coherence.withLock({ $0.connectionEventCount }) == listing.eventCount { return nil }
        guard listing.passCount < RecordListings.Listing.maximumPassCount else {
            throw failure(RedisError(.notReady, "The connections or the slots of the servers change all the time, so their keys cannot be listed."))
        }
        return now
    }

    /// One step through a server's keys.
    func scan(
        _ node: any RedisConnection,
        from cursor: [UInt8],
        count: Int,
        pattern: [UInt8]?
    ) async throws(StoreError) -> (keys: [ByteBuffer], next: [UInt8]) {
        var arguments: [RedisCommand.Argument] = [.bytes(cursor)]
        if let pattern { arguments += [.string("MATCH"), .bytes(pattern)] }
        let reply = try await send(RedisCommand("SCAN", leading: arguments + [.string("COUNT"), .integer(Int64(count))]), to: node)
        guard case .array(let parts) = reply, parts.count == 2, case .bulkString(let cursor) = parts[0], case .array(let names) = parts[1],
            cursor.readableBytes <= 20, let next = UInt64(String(buffer: cursor))
        else { throw .unexpectedReply(name) }
        let keys = names.compactMap { name in if case .bulkString(let bytes) = name { bytes } else { nil } }
        return (keys, Array(String(next).utf8))
    }

    /// The key of the record that a name on the server stands for.
    func recordKey(_ name: ByteBuffer) -> RecordKey? {
        guard let (kind, offset) = keys.kind(of: name), kind == .record else { return nil }
        return RecordKey(bytes: name.readableBytesView.dropFirst(offset))
    }

    /// Returns the summaries of those keys that a read would find. Reads no payloads.
    private func summaries(of page: [RecordKey]) async throws(StoreError) -> [RecordSummary] {
        var summaries: [RecordSummary] = []
        for page in page.chunks(ofCount: Self.maximumCommandCount) {
            let replies = try await send(
                page.map {
                    RedisCommand("GETRANGE", key: .bytes(keys.record($0)), [.integer(0), .integer(Int64(StoredRecord.usualHeaderByteCount) - 1)])
                }
            )
            var values: [(key: RecordKey, value: StoredValue, version: RecordVersion)] = []
            for (key, reply) in zip(page, replies) {
                guard let value = try bytes(reply), value.readableBytes > 0 else { continue }
                if let needed = StoredRecord.headerByteCount(in: value), needed > value.readableBytes {
                    let (value, version) = try await readHeader(forKey: key)
                    values.append((key, value, version))
                } else {
                    values.append((key, StoredValue(header: value, key: key), RecordVersion(ofValue: value)))
                }
            }
            let records = try await judge(values)
            for key in page {
                guard let stored = records[key] else { continue }
                summaries.append(
                    RecordSummary(
                        key: key,
                        payloadByteCount: stored.payloadByteCount,
                        created: stored.record.created,
                        freshUntil: stored.record.freshUntil,
                        staleUntil: stored.record.staleUntil,
                        tags: stored.record.tags,
                        partition: stored.record.partition
                    )
                )
            }
        }
        return summaries
    }
}
