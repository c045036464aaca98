// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct StoredRecordTests {
    /// A replaced database gives a waiting record a new session, while the record's file stays as it is.
    @Test func aRecordWithAFileThatIsPreparedAnewHasItsPayloadInTheFileOnly() throws {
        let (workspace, other) = (try Workspace(), try Workspace())
        let (store, replacement) = (try workspace.open(), try other.open())
        let record = Hoard.Record(payload: Data(repeating: 7, count: 100_000), created: ManualClock.start)
        let stored = try store.core.stored(record, "key", store.core.session())
        let session = try replacement.core.session()
        let renewed = try session.renewed(stored, .zlib())
        #expect(renewed.session == session.number)
        #expect(renewed.file === stored.file)
        #expect(renewed.payload.isEmpty)
        #expect(renewed.charge == stored.charge)
        #expect(renewed.header == stored.header)
    }
}
