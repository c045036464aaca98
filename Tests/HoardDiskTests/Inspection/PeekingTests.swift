// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct PeekingTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func pieces(_ store: DiskStore, _ key: RecordKey) async throws -> [Data]? {
        var pieces: [Data] = []
        return try await store.peekPayload(forKey: key) { pieces.append($0) } ? pieces : nil
    }

    @Test(arguments: StoreKind.allCases) func payloadsComeInPieces(kind: StoreKind) async throws {
        var configuration = workspace.configuration()
        configuration.encryptionKey = kind.key
        if kind == .compressed { configuration.compression = .zlib() }
        let store = try DiskStore(configuration: configuration)
        let large = Data((0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 / 1000) })
        try await store.insert(Record(payload: large, created: workspace.clock.now()), forKey: "large")
        try await store.insert(workspace.record(String(repeating: "s", count: 5000)), forKey: "small")
        try await store.insert(workspace.record(""), forKey: "empty")
        let statistics = try await store.statistics()
        let found = try #require(try await pieces(store, "large"))
        #expect(found.count == 3)
        #expect(found.reduce(Data(), +) == large)
        #expect(try await pieces(store, "small") == [Data(repeating: UInt8(ascii: "s"), count: 5000)])
        #expect(try await pieces(store, "empty")?.reduce(Data(), +) == Data())
        #expect(try await pieces(store, "missing") == nil)
        #expect(try await store.statistics() == statistics)
    }

    @Test func damageBehindTheFirstPieceIsAnError() async throws {
        let store = try workspace.open()
        try await store.insert(Record(payload: Data(count: 2_500_000), created: workspace.clock.now()), forKey: "large")
        try workspace.damageFile(workspace.payloadPaths()[0], at: 2_000_000)
        await #expect(throws: StoreError.self) { _ = try await pieces(store, "large") }
        try FileManager.default.removeItem(atPath: workspace.payloadPaths()[0])
        #expect(try await pieces(store, "large") == nil)
    }

    @Test func expiredRecordsAreNotThere() async throws {
        let store = try workspace.open()
        var record = Record(payload: Data(count: 3), created: workspace.clock.now())
        record.staleUntil = workspace.clock.now() + 5
        try await store.insert(record, forKey: "key")
        #expect(try await pieces(store, "key") == [Data(count: 3)])
        workspace.clock.advance(by: 5)
        #expect(try await pieces(store, "key") == nil)
    }
}
