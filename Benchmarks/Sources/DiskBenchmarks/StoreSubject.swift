// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import Hoard
internal import HoardDisk

/// Work done by a `DiskStore`.
struct StoreSubject: Sendable {
    private static let writers = 64

    let store: DiskStore
    let material: Material
    private let directory: String

    /// An empty store.
    init(_ workspace: Workspace, _ material: Material) throws {
        self.material = material
        directory = try workspace.makeDirectory()
        store = try Self.open(directory)
    }

    /// A store that holds every key of the material and has been opened anew since it was filled. All of them have been read once.
    init(filled workspace: Workspace, _ material: Material) async throws {
        let empty = try StoreSubject(workspace, material)
        _ = try await empty.set(Array(material.keys.indices), tasks: Self.writers)
        await empty.store.close()
        self.material = material
        directory = empty.directory
        store = try Self.open(directory)
        _ = try await get(Array(material.keys.indices))
    }

    private static func open(_ directory: String) throws -> DiskStore {
        try DiskStore(configuration: .init(directory: directory + "/store", maximumBytes: 4 << 30))
    }

    func subject(_ name: String = "DiskStore", run: @escaping @Sendable (Int) async throws -> Timing) -> Subject {
        Subject(name: name, run: run) {
            await store.close()
            Workspace.remove(directory)
        }
    }

    // The measured loops.

    /// Reads records that are all there.
    func get(_ order: [Int]) async throws -> Timing {
        let start = monotonicNanoseconds()
        var sum: UInt64 = 0
        for number in order {
            guard let record = try await store.record(forKey: material.keys[number]) else {
                throw WrongResult("DiskStore", "a record is missing")
            }
            sum &+= record.payload.withUnsafeBytes(Material.mark)
        }
        let timing = Timing(nanoseconds: monotonicNanoseconds() - start, operations: order.count)
        guard sum == material.sum(of: order) else { throw WrongResult("DiskStore", "it read something else than was written") }
        return timing
    }

    /// Reads in several tasks at once.
    func get(_ orders: [[Int]]) async throws -> Timing {
        let start = monotonicNanoseconds()
        try await withThrowingTaskGroup(of: Timing.self) { group in
            for order in orders { group.addTask { try await get(order) } }
            try await group.waitForAll()
        }
        return Timing(nanoseconds: monotonicNanoseconds() - start, operations: orders.reduce(0) { $0 + $1.count })
    }

    /// Reads records that are not there.
    func miss(_ order: [Int], of keys: [RecordKey]) async throws -> Timing {
        let start = monotonicNanoseconds()
        for number in order {
            guard try await store.record(forKey: keys[number]) == nil else {
                throw WrongResult("DiskStore", "it found what was never written")
            }
        }
        return Timing(nanoseconds: monotonicNanoseconds() - start, operations: order.count)
    }

    /// Writes one record after the other.
    func set(_ order: [Int]) async throws -> Timing {
        let start = monotonicNanoseconds()
        try await write(order[...])
        return Timing(nanoseconds: monotonicNanoseconds() - start, operations: order.count)
    }

    /// Writes in several tasks at once, each of which waits for its own writes only.
    func set(_ order: [Int], tasks: Int) async throws -> Timing {
        let share = (order.count + tasks - 1) / tasks
        let start = monotonicNanoseconds()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in stride(from: 0, to: order.count, by: share) {
                group.addTask { try await write(order[first..<min(first + share, order.count)]) }
            }
            try await group.waitForAll()
        }
        return Timing(nanoseconds: monotonicNanoseconds() - start, operations: order.count)
    }

    private func write(_ order: ArraySlice<Int>) async throws {
        let created = Date.now
        for number in order {
            try await store.insert(Record(payload: material.payload(of: number), created: created), forKey: material.keys[number])
        }
    }
}
