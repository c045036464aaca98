// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardModels
import HoardTesting
import Testing

@MainActor @Suite("ObservedValue on disk", .timeLimit(.minutes(5)))
struct ObservedValueDiskTests {
    private let fixture = ModelFixture()

    @Test func aValueOnDiskIsShownBeforeTheServerAnswers() async throws {
        let path = NSTemporaryDirectory() + "hoard-models-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func open() throws -> TieredCache<String, Int> {
            let store = try DiskStore(configuration: .init(directory: path, maximumBytes: 1 << 20))
            return TieredCache(configuration: .init(maximumCount: 10, freshFor: .seconds(60)), stores: [store], codec: .json)
        }
        let first = try open()
        await first.insert(7, forKey: "a")
        await first.close()
        let cache = try open()
        let model = ObservedValue(cache, forKey: "a", refresh: .never, load: fixture.load)
        #expect(model.value == nil)
        model.start()
        try await fixture.until { model.value == 7 }
        model.stop()
        #expect(fixture.loads.isEmpty)
        await cache.close()
    }
}
