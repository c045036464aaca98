// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A store whose limit on bytes can change while it is in use.
package protocol ResizableRecordStore: RecordStore {
    /// Changes the limit. Records leave as for any other lack of room. Suspends until the limit holds.
    ///
    /// - Parameter maximumBytes: The new limit; `nil` for none.
    func setMaximumBytes(_ maximumBytes: Int?) async throws(StoreError)
}
