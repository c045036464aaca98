// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import HoardViews
import Synchronization

/// An imitation of the tutorial's disk manager and cache: a table without a column for the max age, in which the time of creation is that of the
/// last use, saved as a whole with every change, limited by count, and the same for all users.
final class SeedScreenStorage: ScreenStorage {
    private struct Row: Codable {
        var data: Data
        var beagleHash: String
        var timeOfCreation: Date
    }

    private let file: URL
    private let time: ManualTicker
    private let table = Mutex<[String: Row]>([:])
    private let maximumCount = 150

    init(_ directory: String, _ time: ManualTicker) {
        file = URL(fileURLWithPath: directory).appendingPathComponent("CoreCache")
        self.time = time
    }

    static func make(_ directory: String, _ maximumBytes: Int, _ time: ManualTicker) -> any ScreenStorage {
        SeedScreenStorage(directory, time)
    }

    func open() async throws -> any CacheManagerProtocol {
        let saved = (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode([String: Row].self, from: $0) } ?? [:]
        table.withLock { $0 = saved }
        return Manager(storage: self)
    }

    func close() async {}

    func byteCount() async throws -> Int { table.withLock { $0.values.reduce(0) { $0 + $1.data.count } } }

    private func change(_ body: (inout [String: Row]) -> Void) {
        let saved = table.withLock { table in
            body(&table)
            return try? JSONEncoder().encode(table)
        }
        try? saved?.write(to: file)
    }

    private struct Manager: CacheManagerProtocol {
        let storage: SeedScreenStorage

        func addToCache(_ reference: CacheReference) async {
            storage.change { table in
                table[reference.identifier] = Row(data: reference.data, beagleHash: reference.hash, timeOfCreation: storage.time.now())
                guard table.count > storage.maximumCount else { return }
                if let oldest = table.min(by: { $0.value.timeOfCreation < $1.value.timeOfCreation })?.key { table[oldest] = nil }
            }
        }

        func getReference(identifiedBy identifier: String) async -> CacheReference? {
            storage.change { $0[identifier]?.timeOfCreation = storage.time.now() }
            guard let row = storage.table.withLock({ $0[identifier] }) else { return nil }
            return CacheReference(identifier: identifier, data: row.data, hash: row.beagleHash, maxAge: 0, timeOfCreation: row.timeOfCreation)
        }

        func isValid(reference: CacheReference) -> Bool {
            reference.timeOfCreation + TimeInterval(reference.maxAge ?? 300) > storage.time.now()
        }

        func removeReference(identifiedBy identifier: String) async { storage.change { $0[identifier] = nil } }

        /// The tutorial knows no users.
        func removePartition(_ partition: String) async {}

        func clear() async { storage.change { $0 = [:] } }
    }
}
