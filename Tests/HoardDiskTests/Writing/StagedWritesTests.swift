// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Compares the answers to readers with a dictionary that applies all operations at once.
@Suite struct StagedWritesTests {
    private static let keys = (0..<6).map { RecordKey("key \($0)") }
    private static let tags = ["red", "green"]
    private static let partitions = ["one", "two"]

    private func apply(_ operation: WriteOperation, to records: inout [RecordKey: Record]) {
        switch operation {
        case .insert(let stored): records[stored.key] = stored.record
        case .remove(let key): records[key] = nil
        case .removeTagged(let tag): records = records.filter { !$0.value.tags.contains(tag) }
        case .removePartition(let name): records = records.filter { $0.value.partition != name }
        case .removeAll: records = [:]
        case .together(let operations): for operation in operations { apply(operation, to: &records) }
        default: break
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func readingsSeeEverythingThatIsStagedInOrder(seed: UInt64) throws {
        let workspace = try Workspace()
        let store = try workspace.open()
        let session = try store.core.session()
        var generator = SeededGenerator(seed: seed)
        var staged = StagedWrites()
        var waiting: [(operation: WriteOperation, order: UInt64)] = []
        var committed: [RecordKey: Record] = [:]

        func randomInsertion(_ order: UInt64, _ key: RecordKey) throws -> WriteOperation {
            var record = workspace.record("\(order)", tags: Set(Self.tags.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }))
            record.partition = Int.random(in: 0..<3, using: &generator) == 0 ? Self.partitions[Int.random(in: 0...1, using: &generator)] : nil
            return .insert(try store.core.stored(record, key, session))
        }

        for order in 1...400 as ClosedRange<UInt64> {
            let key = Self.keys[Int.random(in: 0..<6, using: &generator)]
            let operation: WriteOperation
            switch Int.random(in: 0..<23, using: &generator) {
            case 0..<11: operation = try randomInsertion(order, key)
            case 20: operation = .together(try Self.keys.shuffled(using: &generator).prefix(3).map { try randomInsertion(order, $0) })
            case 21: operation = .together(Self.keys.shuffled(using: &generator).prefix(3).map { .remove($0) })
            case 22: operation = .together(Self.tags.map { .removeTagged($0) })
            case 11..<14: operation = .remove(key)
            case 14..<16: operation = .removeTagged(Self.tags[Int.random(in: 0...1, using: &generator)])
            case 16..<18: operation = .removePartition(Self.partitions[Int.random(in: 0...1, using: &generator)])
            case 18: operation = .removeAll
            default: operation = .flushUses
            }
            staged.stage(operation, order: order)
            waiting.append((operation, order))
            if Int.random(in: 0..<4, using: &generator) == 0 {
                // A batch is committed.
                let count = Int.random(in: 0...waiting.count, using: &generator)
                for (operation, _) in waiting[..<count] { apply(operation, to: &committed) }
                for (operation, order) in waiting[..<count] { staged.unstage(operation, order: order) }
                waiting.removeFirst(count)
            }
            var expected = committed
            for (operation, _) in waiting { apply(operation, to: &expected) }
            for key in Self.keys {
                let seen: Record? =
                    switch staged.state(of: key) {
                    case .present(let stored): stored.record
                    case .removed: nil
                    case nil: committed[key].flatMap { staged.removes($0) ? nil : $0 }
                    }
                #expect(seen == expected[key], "seed \(seed), order \(order)")
            }
            #expect(
                staged.isEmpty == waiting.allSatisfy { if case .flushUses = $0.operation { true } else { false } },
                "seed \(seed), order \(order)"
            )
        }
    }

    @Test func anInsertionIsSupersededByALaterOperationOfItsKeyWithinTheBatch() throws {
        let workspace = try Workspace()
        let store = try workspace.open()
        let insertion = WriteOperation.insert(try store.core.stored(workspace.record(), "key", store.core.session()))
        var staged = StagedWrites()
        staged.stage(insertion, order: 3)
        #expect(!staged.supersedes("key", order: 3, upTo: 10))
        staged.stage(.remove("key"), order: 5)
        #expect(staged.supersedes("key", order: 3, upTo: 5))
        #expect(!staged.supersedes("key", order: 3, upTo: 4))
        #expect(!staged.supersedes("key", order: 5, upTo: 9))
        #expect(!staged.supersedes("other", order: 3, upTo: 9))
    }
}
