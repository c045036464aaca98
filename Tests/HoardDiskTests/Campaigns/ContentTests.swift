// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDiskTorture

@Suite struct ContentTests {
    @Test func everyRecordTellsItsVersion() {
        for key in 0..<20 {
            for version in [0, 1, 7, 3_000_001, 19_000_000_123] {
                #expect(Content.version(of: Content.record(key: key, version: version), key: key) == version)
                let small = Content.record(key: key, version: version, maximumByteCount: 100)
                #expect(small.payload.count <= 100)
                #expect(Content.version(of: small, key: key) == version)
            }
        }
    }

    @Test func aRecordUnderAnotherKeyIsWrong() {
        let record = Content.record(key: 1, version: 1)
        #expect(Content.version(of: record, key: 2) == nil)
    }

    @Test func anyChangeOfThePayloadIsWrong() throws {
        let version = try #require((1...100).first { Content.record(key: 0, version: $0).payload.count > 1000 })
        let record = Content.record(key: 0, version: version)
        for index in [0, 500, record.payload.count - 1] {
            var changed = record
            changed.payload[index] ^= 1
            #expect(Content.version(of: changed, key: 0) == nil)
        }
        var cut = record
        cut.payload.removeLast()
        #expect(Content.version(of: cut, key: 0) == nil)
        var empty = record
        empty.payload = Data()
        #expect(Content.version(of: empty, key: 0) == nil)
    }

    @Test func anyChangeBesideThePayloadIsWrong() {
        let record = Content.record(key: 0, version: 1)
        let changes: [(inout Record) -> Void] = [
            { $0.tags.insert("other") }, { $0.tags = [] }, { $0.validator = nil }, { $0.validator = "0:2:307200" }, { $0.validator = "0:1" },
            { $0.contentType = "text/plain" }, { $0.schemaFingerprint += 1 }, { $0.created += 1 }, { $0.freshUntil = $0.created },
            { $0.validator = "0:1:99999999999" },
        ]
        for (index, change) in changes.enumerated() {
            var changed = record
            change(&changed)
            #expect(Content.version(of: changed, key: 0) == nil, "change \(index)")
        }
    }

    @Test func readingChangesTheLastAccessOnly() {
        var record = Content.record(key: 0, version: 1)
        record.lastAccess += 1000
        #expect(Content.version(of: record, key: 0) == 1)
    }

    @Test func payloadsHaveAllSizes() {
        let counts = (1...400).map { Content.record(key: 5, version: $0).payload.count }
        #expect(counts.contains(0))
        #expect(counts.contains { (1...2048).contains($0) })
        #expect(counts.contains { $0 > 64 << 10 })
        #expect(counts.allSatisfy { $0 <= Content.maximumPayloadByteCount })
    }

    @Test func keysAreDifferentAndSomeAreLong() {
        let keys = (0..<100).map(Content.key)
        #expect(Set(keys).count == 100)
        #expect(keys.contains { $0.bytes.count > 1000 })
    }

    @Test func tagsBelongToTheOwnerOfTheKey() {
        for version in 0..<200 {
            guard let tag = Content.tag(key: 6, version: version) else { continue }
            #expect(tag / Content.tagsPerOwner == Content.owner(ofKey: 6))
            #expect(Content.record(key: 6, version: version).tags.contains(Content.tagName(tag)))
        }
        #expect(Set((0..<200).map { Content.tag(key: 6, version: $0) }).count == Content.tagsPerOwner + 1)
    }
}
