// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Testing

/// The conformance tests of every store, run on the disk store.
@Suite(.timeLimit(.minutes(5))) final class DiskStoreConformanceTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-conformance-\(UUID().uuidString)").path

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The way in which a store keeps its records.
    enum Kind: CaseIterable { case plain, compressed, encrypted }

    private func run(_ check: RecordStoreConformance.Check, _ kind: Kind) async throws {
        try await check.run { [directory] configuration in
            var own = DiskStore.Configuration(
                // A check may open several stores.
                directory: "\(directory)/\(UUID().uuidString)",
                maximumCount: configuration.maximumCount,
                maximumBytes: configuration.maximumBytes,
                clock: configuration.clock
            )
            if kind == .compressed { own.compression = .zlib() }
            if kind == .encrypted { own.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32)) }
            return try DiskStore(configuration: own)
        }
    }

    @Test(arguments: RecordStoreConformance.checks, Kind.allCases)
    func conforms(to check: RecordStoreConformance.Check, _ kind: Kind) async throws {
        try await run(check, kind)
    }

    @Test(arguments: RecordStoreConformance.immediateChecks, Kind.allCases)
    func conformsWhenReadAtOnce(to check: RecordStoreConformance.Check, _ kind: Kind) async throws {
        try await run(check, kind)
    }

    @Test(arguments: 0..<8 as Range<UInt64>, Kind.allCases)
    func conformsToTheModel(seed: UInt64, _ kind: Kind) async throws {
        for check in RecordStoreConformance.checks(seed: seed) where check.name.hasPrefix("random operations") { try await run(check, kind) }
    }
}
