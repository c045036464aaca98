// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// Around a store that is no `EvictingRecordStore` these throw `StoreError.Code.invalidConfiguration`.
extension FaultyStore: EvictingRecordStore {
    public func recordCount(taggedWith tag: String) async throws(StoreError) -> Int {
        try await perform(.recordCount, tags: [tag]) { () async throws(StoreError) in try await evictingBase.recordCount(taggedWith: tag) }
    }

    @discardableResult
    public func removeLeastRecentlyUsedRecords(taggedWith tag: String, keeping count: Int) async throws(StoreError) -> Int {
        try await perform(.evict, tags: [tag]) { () async throws(StoreError) in
            try await evictingBase.removeLeastRecentlyUsedRecords(taggedWith: tag, keeping: count)
        }
    }

    public func noteUses(ofRecordsForKeys keys: [RecordKey]) async throws(StoreError) {
        try await perform(.noteUses, keys: keys) { () async throws(StoreError) in try await evictingBase.noteUses(ofRecordsForKeys: keys) }
    }

    public func flush() async {
        try? await perform(.flush) { () async throws(StoreError) in try await evictingBase.flush() }
    }

    private var evictingBase: any EvictingRecordStore {
        get throws(StoreError) {
            if let store = base as? any EvictingRecordStore { return store }
            throw StoreError(.invalidConfiguration, "The store that this one wraps cannot evict the records with a tag.")
        }
    }
}
