// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct StorageUseTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test func allPartsAreMeasured() async throws {
        try await workspace.fill(.plain)
        let store = try workspace.openAsTool()
        try workspace.plant("ab/abcdef0123456789-0123456789abcdef")
        try workspace.plant("temporary/0123456789abcdef")
        let use = try await store.storageUse()
        let statistics = try await store.statistics()
        #expect(use.recordCount == 17)
        #expect(use.chargedByteCount == statistics.bytes)
        #expect(use.inlinePayloadCount == 12)
        #expect(use.inlinePayloadByteCount == (0..<10).reduce(12) { $0 + "value \($1) ".count * 100 })
        #expect(use.filePayloadCount == 5)
        // Each file holds two checksums and the footer beside its payload.
        #expect(use.filePayloadByteCount == 5 * 140_000 + 10 + 5 * (2 * 8 + 32))
        #expect(use.filesAllocatedByteCount >= use.filePayloadByteCount + 10_000)
        #expect(use.orphanCount == 1)
        #expect(use.orphanByteCount == 5000)
        #expect(use.databaseByteCount == (try workspace.databaseBytes().count))
        #expect(use.pageByteCount == 4096)
        #expect(use.freePageCount >= 0)
        #expect(use.tagCount == 6)
        #expect(use.unsweptInvalidationCount == 0)
        #expect(use.formatVersion == Int(DiskSchema.version))
        #expect(use.encryptionKeyIdentifier == nil)
        #expect(use.maximumCount == nil && use.maximumBytes == nil)
        #expect(use.totalByteCount == use.databaseByteCount + use.logByteCount + use.filesAllocatedByteCount)
        #expect(try await store.statistics() == statistics)
    }

    @Test func filesOfOtherStoresRecordsAreNoOrphans() async throws {
        let (store, other) = (try workspace.open(), try workspace.open())
        try await other.insert(workspace.record(byteCount: 200_000), forKey: "key")
        let use = try await store.storageUse()
        #expect(use.orphanCount == 0)
        #expect(use.filePayloadCount == 1)
    }

    @Test func limitsAndKeysAreNamed() async throws {
        var configuration = workspace.configuration(maximumCount: 7, maximumBytes: 1 << 20)
        configuration.encryptionKey = StoreKind.key
        let store = try DiskStore(configuration: configuration)
        let use = try await store.storageUse()
        #expect(use.maximumCount == 7)
        #expect(use.maximumBytes == 1 << 20)
        #expect(use.encryptionKeyIdentifier == "test key")
        #expect(use.recordCount == 0)
        #expect(use.inlinePayloadByteCount == 0)
    }

    @Test func invalidationsThatAreNotSweptAreCounted() async throws {
        try await workspace.fill(.plain)
        try workspace.changeDatabase("INSERT INTO invalidations SELECT DISTINCT tag, 1 FROM tags LIMIT 2")
        #expect(try await workspace.openAsTool().storageUse().unsweptInvalidationCount == 2)
    }
}
