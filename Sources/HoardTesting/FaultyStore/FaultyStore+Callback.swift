// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard

/// Calls back if it was created so. The call is a `record`.
extension FaultyStore: CallbackRecordStore {
    package func beginReading(_ key: RecordKey, answered: @escaping @Sendable (CallbackReading) -> Void) {
        startTask { [self] in
            do throws(StoreError) {
                let record = try await record(forKey: key)
                answered(CallbackReading { .init(record) })
            } catch {
                answered(CallbackReading { () throws(StoreError) in throw error })
            }
        }
    }
}
