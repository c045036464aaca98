// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization

@testable import HoardHTTP

/// A cache before an origin whose every answer is new and names its resource, with kinds of
/// resources in several folders.
struct PrefixHarness: Sendable {
    /// Where responses are kept beyond memory.
    enum Stores: CaseIterable, Sendable { case none, listing, twoListing, notListing }

    let harness: CacheHarness
    let bases: [MemoryStore]

    init(_ stores: Stores = .none, mode: CacheMode = .shared) {
        let time = TestTime()
        let bases: [MemoryStore] = stores == .none ? [] : (0..<(stores == .twoListing ? 2 : 1)).map { MemoryStore(name: "\($0)", clock: time) }
        let answers = Mutex(0)
        self.bases = bases
        harness = CacheHarness(
            mode: mode,
            stores: stores == .notListing ? bases.map { PlainStore($0) } : bases,
            time: time,
            configure: { $0.inlineBodyBytes = 1_000 }
        ) { request in
            let number = answers.withLock { count in
                count += 1
                return count
            }
            let path = request.head.path ?? ""
            var fields: HTTPFields = [.cacheControl: "max-age=600, stale-if-error=600"]
            if path.contains("vary") { fields[.vary] = "Accept-Language" }
            if path.contains("search") { fields[.noVarySearch] = #"params=("utm")"# }
            if path.contains("tag"), let name = HTTPField.Name("Cache-Tag") { fields[name] = "news, sport" }
            if path.contains("etag") { fields[.eTag] = "\"\(path)\"" }
            if path.contains("public") { fields[.cacheControl] = "public, max-age=600" }
            let tail = path.contains("long") ? String(repeating: "x", count: 900_000) : ""
            if request.head.headerFields.contains(.ifNoneMatch) { return .text(status: .notModified, fields: fields) }
            return .text("\(number) \(path) \(tail)", fields: fields)
        }
    }

    var cache: HTTPCache { harness.cache }
    var transport: FakeTransport { harness.transport }
    static let host = "http://example.com"

    @discardableResult
    func get(_ path: String, _ fields: HTTPFields = [:]) async throws -> Reply { try await harness.get(path, fields) }

    /// Whether a request would be answered without the origin.
    func isCached(_ path: String, _ fields: HTTPFields = [:]) async throws -> Bool {
        var fields = fields
        fields[.cacheControl] = "only-if-cached"
        return try await harness.get(path, fields).isFromCache
    }

    /// Takes everything out of memory, as evictions would, once the stores have it.
    func leaveToTheStores() async {
        await cache.flush()
        cache.entries.evictEverything()
    }

    /// The keys that the first store has.
    func storedKeys() async throws -> [RecordKey] {
        var keys: [RecordKey] = []
        for base in bases { keys += try await base.recordPage(after: nil, limit: 100_000).records.map(\.key) }
        return keys
    }
}

/// A store that only keeps the rules of every store.
final class PlainStore: RecordStore {
    let base: MemoryStore

    init(_ base: MemoryStore) { self.base = base }

    var name: String { base.name }
    func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func close() async { await base.close() }
}

extension HTTPField.Name {
    static var noVarySearch: Self { HTTPField.Name("No-Vary-Search") ?? .server }
}
