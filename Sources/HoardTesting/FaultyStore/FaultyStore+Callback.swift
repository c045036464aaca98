// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard

/// Calls back if it was created so.
extension FaultyStore: CallbackRecordStore {}

extension CallbackRecordStore {
    /// Calls back from a task with the result of ``RecordStore/record(forKey:)``, so that the faults of a store for
    /// tests are those of that call.
    package func beginReading(_ key: RecordKey, answered: @escaping @Sendable (CallbackReading) -> Void) {
        startTask {
            do throws(StoreError) {
                let record = try await record(forKey: key)
                answered(CallbackReading { .init(record) })
            } catch {
                answered(CallbackReading { () throws(StoreError) in throw error })
            }
        }
    }
}
