// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import Synchronization
import Testing

/// The examples of `docs/guides/operating.md`, run.
@Suite(.timeLimit(.minutes(1))) struct OperatingGuideExamples {
    @Test func theHealthOfStoresIsAProperty() async throws {
        let store = FaultyStore(MemoryStore(), name: "redis")
        let users = TieredCache<String, String>(configuration: .init(maximumCount: 100), stores: [store], codec: .json)

        #expect(users.storeHealth.allSatisfy { $0.isSound })
        store.fail()
        await users.removeValue(forKey: "42")

        let unsound = users.storeHealth.filter { !$0.isSound }
        for health in unsound { print(health.store, health.circuit, health.failures, health.pendingInvalidations) }

        #expect(unsound.map(\.store) == ["redis"] && unsound[0].pendingInvalidations == 1)
    }

    @Test func aDiskStoreTellsWhatIsWorthALine() async throws {
        let cacheDirectory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-operating-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: cacheDirectory) }
        let lines = Mutex<[String]>([])
        @Sendable func alarm(_ line: String) { lines.withLock { $0.append(line) } }
        try await Self.makeDamagedStore(in: cacheDirectory)

        let disk = try DiskStore(
            configuration: .init(directory: cacheDirectory) { event in
                if event.kind == .diskFull || event.kind == .databaseSetAside { alarm("\(event)") }
            }
        )

        #expect(lines.withLock(\.count) == 1)
        #expect(try await disk.statistics().count == 0)
        await disk.close()
    }

    @Test func theEndComesInOrder() async throws {
        let store = MemoryStore()
        let users = TieredCache<String, String>(
            configuration: .init(maximumCount: 100, policy: CachePolicy().with { $0.storeWriting = .behind }),
            stores: [store],
            codec: .json
        )
        await users.insert("Ada", forKey: "42")

        await users.flush()  // what was written behind is in the stores now
        #expect(try await store.statistics().count == 1)
        await users.close()  // and the stores are closed, if the cache was given them directly

        await #expect(throws: StoreError.self) { try await store.record(forKey: "42") }
    }

    /// A store whose database is overwritten from its second page on.
    private static func makeDamagedStore(in directory: String) async throws {
        let disk = try DiskStore(configuration: .init(directory: directory))
        for number in 0..<100 {
            try await disk.insert(Record(payload: Data(count: 1_000), created: Date()), forKey: RecordKey("\(number)"))
        }
        await disk.close()
        let path = directory + "/hoard.sqlite"
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in 4_096..<data.count { data[index] = 0xFF }
        try data.write(to: URL(fileURLWithPath: path))
    }
}
