// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Tags are equal if they are equal as strings, whatever their bytes.
@Suite(.timeLimit(.minutes(30))) struct DiskStoreSpellingTests {
    private static let campaign = ProgramCampaign(defaultCount: 200)

    @Test(arguments: 0..<campaign.blockCount, [false, true]) func programs(block: UInt64, isEncrypted: Bool) async throws {
        let workspace = try Workspace()
        let time = ManualTicker()
        var configuration = workspace.configuration()
        if isEncrypted { configuration.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32)) }
        let stack = StoreStack([try DiskStore(configuration: configuration)], ticker: time)
        for seed in Self.campaign.seeds(inBlock: block) {
            if let failure = await SpellingProgram(seed: seed).failure(over: stack, time) {
                Issue.record("\(failure)")
                break
            }
        }
        await stack.close()
    }

    @Test func tagHasOneNumberInAllItsSpellings() {
        let identify = RecordIdentifier(key: (1, 2))
        #expect(identify.number(ofTag: "caf\u{E9}") == identify.number(ofTag: "cafe\u{301}"))
        #expect(identify.number(ofPartition: "caf\u{E9}") != identify.number(ofPartition: "cafe\u{301}"))
        #expect(identify.numbers(ofTag: "plain") == [identify.number(ofTag: "plain")])
    }

    /// In earlier stores a tag had a number for each spelling.
    @Test(arguments: ["cafe\u{301}", "caf\u{E9}"]) func recordsWrittenBeforeGoWithTheirTag(spelling: String) async throws {
        let workspace = try Workspace()
        let before = RecordIdentifier(key: (1, 2), separatesSpellings: true)
        let old = try DiskStore(configuration: workspace.configuration(), identifierOverride: before)
        try await old.insert(Record(payload: Data([1]), created: workspace.clock.now(), staleUntil: .forever, tags: ["cafe\u{301}"]), forKey: "a")
        await old.close()
        let store = try DiskStore(configuration: workspace.configuration(), identifierOverride: RecordIdentifier(key: (1, 2)))
        #expect(try await store.record(forKey: "a")?.payload == Data([1]))
        #expect(try await store.verify(repairing: false).problems.isEmpty)
        try await store.removeRecords(taggedWith: spelling)
        #expect(try await store.record(forKey: "a") == nil)
        await store.close()
    }
}
