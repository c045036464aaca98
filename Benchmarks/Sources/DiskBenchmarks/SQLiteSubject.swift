// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import Hoard

/// The same work by ``SQLiteTable``.
///
/// Unchecked because the table is used by one thread at a time: the rounds of a row take turns, and each thread of a round opens a subject.
struct SQLiteSubject: @unchecked Sendable {
    private let table: SQLiteTable
    private let material: Material
    private let directory: String

    /// A table that holds every key of the material, and nothing in its log. All of them have been read once.
    init(filled workspace: Workspace, _ material: Material) throws {
        directory = try workspace.makeDirectory()
        table = try SQLiteTable(path: directory + "/table.sqlite")
        self.material = material
        _ = try set(Array(material.keys.indices), perTransaction: 256)
        try table.checkpoint()
        _ = try get(Array(material.keys.indices))
    }

    /// Another connection to the same table.
    init(sharing other: SQLiteSubject) throws {
        directory = other.directory
        material = other.material
        table = try SQLiteTable(path: directory + "/table.sqlite")
        _ = try get(Array(material.keys.indices))
    }

    func subject(_ name: String, run: @escaping @Sendable (Int) async throws -> Timing) -> Subject {
        let directory = directory
        return Subject(name: name, run: run) { Workspace.remove(directory) }
    }

    // The measured loops.

    func get(_ order: [Int], perTransaction: Int = 1) throws -> Timing {
        let start = monotonicNanoseconds()
        var sum: UInt64 = 0
        try inTransactions(order, of: perTransaction) { number in
            guard let value = table.value(forKey: material.keys[number]) else { throw WrongResult("SQLite", "a row is missing") }
            sum &+= Material.mark(of: UnsafeRawBufferPointer(value))
            free(value.baseAddress)
        }
        let timing = Timing(nanoseconds: monotonicNanoseconds() - start, operations: order.count)
        guard sum == material.sum(of: order) else { throw WrongResult("SQLite", "it read something else than was written") }
        return timing
    }

    func miss(_ order: [Int], of keys: [RecordKey], perTransaction: Int = 1) throws -> Timing {
        let start = monotonicNanoseconds()
        try inTransactions(order, of: perTransaction) { number in
            guard table.value(forKey: keys[number]) == nil else { throw WrongResult("SQLite", "it found what was never written") }
        }
        return Timing(nanoseconds: monotonicNanoseconds() - start, operations: order.count)
    }

    func set(_ order: [Int], perTransaction: Int) throws -> Timing {
        let start = monotonicNanoseconds()
        try inTransactions(order, of: perTransaction) { number in
            try table.setValue(material.payload(of: number), forKey: material.keys[number])
        }
        return Timing(nanoseconds: monotonicNanoseconds() - start, operations: order.count)
    }

    /// A transaction of one operation is left to SQLite, which then needs no statements for its beginning and end.
    @inline(__always)
    private func inTransactions(_ order: [Int], of size: Int, _ operation: (Int) throws -> Void) throws {
        guard size > 1 else {
            for number in order { try operation(number) }
            return
        }
        for first in stride(from: 0, to: order.count, by: size) {
            try table.transaction {
                for number in order[first..<min(first + size, order.count)] { try operation(number) }
            }
        }
    }
}
