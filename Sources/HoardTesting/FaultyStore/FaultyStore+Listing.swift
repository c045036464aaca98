// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// Around a store that is no `ListingRecordStore` these throw `StoreError.Code.invalidConfiguration`.
extension FaultyStore: ListingRecordStore {
    public func recordPage(after cursor: RecordCursor?, limit: Int) async throws(StoreError) -> RecordPage {
        try await perform(.recordPage) { () async throws(StoreError) in try await listingBase.recordPage(after: cursor, limit: limit) }
    }

    public func peekRecord(forKey key: RecordKey) async throws(StoreError) -> Record? {
        try await perform(.peekRecord, keys: [key]) { () async throws(StoreError) in try await listingBase.peekRecord(forKey: key) }
    }

    private var listingBase: any ListingRecordStore {
        get throws(StoreError) {
            if let store = base as? any ListingRecordStore { return store }
            throw StoreError(.invalidConfiguration, "The store that this one wraps cannot list its records.")
        }
    }
}
