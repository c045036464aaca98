// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Testing

/// What every store must do, asked of the disk store.
@Suite(.timeLimit(.minutes(2))) final class DiskStoreConformanceTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-conformance-\(UUID().uuidString)").path

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    @Test(arguments: RecordStoreConformance.checks)
    func conforms(to check: RecordStoreConformance.Check) async throws {
        try await check.run { [directory] configuration in
            try DiskStore(
                configuration: .init(
                    // A check may open several stores.
                    directory: "\(directory)/\(UUID().uuidString)",
                    maximumCount: configuration.maximumCount,
                    maximumBytes: configuration.maximumBytes,
                    clock: configuration.clock
                )
            )
        }
    }
}
