// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Listings page by page.
@Suite(.timeLimit(.minutes(5))) struct ListingTests {
    private let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// The way in which a store keeps its records.
    enum Kind: CaseIterable { case plain, compressed, encrypted, behind, inFiles }

    @Test(arguments: RecordStoreConformance.listingChecks, Kind.allCases)
    func conforms(to check: RecordStoreConformance.Check, _ kind: Kind) async throws {
        try await check.run { [root = workspace.root] configuration in
            var own = DiskStore.Configuration(directory: "\(root)/\(UUID().uuidString)", clock: configuration.clock)
            own.maximumCount = configuration.maximumCount
            switch kind {
            case .plain: break
            case .compressed: own.compression = .zlib()
            case .encrypted: own.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32))
            case .behind: own.writeMode = .behind
            case .inFiles: own.maximumInlinePayloadBytes = 0
            }
            return try DiskStore(configuration: own)
        }
    }

    /// A page looks at no more rows than it may, even if many rows precede the next match.
    @Test func pageIsBounded() async throws {
        let store = try workspace.open()
        for number in 0..<300 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        var (pages, listed) = (0, 0)
        var cursor: RecordCursor?
        repeat {
            let page = try await store.recordPage(after: cursor, limit: 100)
            (pages, listed) = (pages + 1, listed + page.records.count)
            cursor = page.next
        } while cursor != nil
        #expect(listed == 300)
        #expect(pages <= 4)
    }

    @Test func listingGoesOnInAStoreThatWasOpenedAgain() async throws {
        var store = try workspace.open()
        for number in 0..<20 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        let first = try await store.recordPage(after: nil, limit: 8)
        await store.close()
        store = try workspace.open()
        let second = try await store.recordPage(after: first.next, limit: 100)
        #expect(Set((first.records + second.records).map(\.key)).count == 20)
        #expect(second.next == nil)
    }

    @Test func removalsAreCounted() async throws {
        let store = try workspace.open()
        for number in 0..<10 { try await store.insert(workspace.record(tags: number < 4 ? ["tag"] : []), forKey: RecordKey("\(number)")) }
        try await store.insert(workspace.record(), forKey: "9")
        #expect(try await store.statistics().removals == 0)
        try await store.removeRecord(forKey: "9")
        try await store.removeRecord(forKey: "absent")
        #expect(try await store.statistics().removals == 1)
        try await store.removeRecords(taggedWith: "tag")
        #expect(try await store.statistics().removals == 5)
        try await store.removeAll()
        #expect(try await store.statistics().removals == 10)
        #expect(try await store.statistics().evictions == 0)
    }
}
