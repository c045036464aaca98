// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct RecordKeyAuditTests {
    @Test func equalKeysWithDifferentNamesAreFound() {
        let audit = RecordKeyAudit<String>()
        #expect(audit.conflict(of: "caf\u{E9}", RecordKey("caf\u{E9}")) == nil)
        #expect(audit.conflict(of: "caf\u{E9}", RecordKey("caf\u{E9}")) == nil)
        #expect(audit.conflict(of: "cafe\u{301}", RecordKey("cafe\u{301}")) == "caf\u{E9}")
        #expect(audit.conflict(of: "caf\u{E9}", nil) == "caf\u{E9}")
        #expect(audit.conflict(of: "none", nil) == nil)
        #expect(audit.conflict(of: "none", nil) == nil)
        #expect(audit.conflict(of: "none", "none") == "none")
    }

    #if DEBUG
        @Test func mappingOfAUsersOwnThatSplitsAKeyStopsADebugBuild() async {
            await #expect(processExitsWith: .failure) {
                let cache = TieredCache<String, Int>(
                    configuration: .init(maximumCount: 10),
                    stores: [MemoryStore(maximumCount: 10)],
                    codec: .json,
                    recordKey: { RecordKey($0) }
                )
                await cache.insert(1, forKey: "caf\u{E9}")
                await cache.insert(2, forKey: "cafe\u{301}")
            }
        }
    #endif

    @Test func canonicalMappingPasses() async {
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumCount: 10),
            stores: [MemoryStore(maximumCount: 10)],
            codec: .json,
            recordKey: { RecordKey(canonical: $0) },
            // Time stands still, so that no write takes too long.
            ticker: ManualTicker()
        )
        await cache.insert(1, forKey: "caf\u{E9}")
        await cache.insert(2, forKey: "cafe\u{301}")
        #expect(await cache.value(forKey: "caf\u{E9}") == 2)
    }
}
