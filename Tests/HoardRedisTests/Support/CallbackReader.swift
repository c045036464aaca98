// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting

/// Reads single records by callback. As a cache does, it reads them in the other way if the callback is unavailable.
struct CallbackReader: ForwardingRecordStore {
    let base: any CallbackRecordStore

    var underlyingStore: any RecordStore { base }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        let reading = await withCheckedContinuation { continuation in base.beginReading(key) { continuation.resume(returning: $0) } }
        return switch try reading.result() {
        case .record(let record): record
        case .absent: nil
        case .unavailable: try await base.record(forKey: key)
        }
    }
}
