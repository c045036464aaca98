// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardDisk

/// Eviction from a store of so many records that they are on trial at first.
@Suite(.timeLimit(.minutes(5))) struct EvictionTests {
    private let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private func insert(_ numbers: Range<Int>, into store: DiskStore) async throws {
        for number in numbers { try await store.insert(workspace.record(), forKey: RecordKey("\(number)"), mode: .behind) }
        await store.flush()
    }

    /// Writes records in one transaction.
    private func insertTogether(_ numbers: Range<Int>, into store: DiskStore, _ text: String = "value") async throws {
        try await store.insertTogether(numbers.map { (RecordKey("\($0)"), workspace.record(text)) })
    }

    private func read(_ numbers: Range<Int>, in store: DiskStore) async throws {
        for number in numbers { #expect(try await store.record(forKey: RecordKey("\(number)")) != nil, "\(number)") }
    }

    private func count(of numbers: Range<Int>, in store: DiskStore) async throws -> Int {
        var count = 0
        for number in numbers where try await store.peekRecord(forKey: RecordKey("\(number)")) != nil { count += 1 }
        return count
    }

    @Test func recordsThatAreReadOutliveThoseThatAreNot() async throws {
        let store = try workspace.open(maximumCount: 400, hasFixedIdentifiers: true)
        try await insert(0..<300, into: store)
        try await read(0..<300, in: store)
        // Far more than the store holds, and never read.
        try await insert(1_000..<3_000, into: store)
        #expect(try await count(of: 0..<300, in: store) == 300)
        #expect(try await count(of: 2_900..<3_000, in: store) == 100)
        #expect(try store.countedTotals().count == 400)
    }

    @Test func ofThoseThatAreReadTheLeastRecentlyReadLeavesFirst() async throws {
        let store = try workspace.open(maximumCount: 400, hasFixedIdentifiers: true)
        try await insert(0..<400, into: store)
        try await read(100..<400, in: store)
        try await read(0..<100, in: store)
        try await insert(400..<480, into: store)
        // A fifth is on trial, and no more.
        #expect(try await count(of: 400..<480, in: store) == 80)
        #expect(try await count(of: 100..<180, in: store) == 0)
        #expect(try await count(of: 0..<100, in: store) == 100)
        #expect(try await count(of: 180..<400, in: store) == 220)
    }

    @Test func oneThatReturnsIsNotOnTrialAgain() async throws {
        let store = try workspace.open(maximumCount: 400, hasFixedIdentifiers: true)
        try await insert(0..<390, into: store)
        try await read(0..<300, in: store)
        // 300 to 389 leave one after another.
        try await insert(1_000..<1_100, into: store)
        #expect(try await count(of: 300..<390, in: store) == 0)
        try await insert(380..<390, into: store)
        #expect(try await store.record(forKey: "1099") != nil)
        try await insert(2_000..<2_300, into: store)
        #expect(try await count(of: 380..<390, in: store) == 10)
        #expect(try await count(of: 2_000..<2_010, in: store) == 0)
    }

    @Test func recordsThatOthersHaveEvictedAreNotOnTrial() async throws {
        let (first, second) = (
            try workspace.open(maximumCount: 400, hasFixedIdentifiers: true), try workspace.open(maximumCount: 400, hasFixedIdentifiers: true)
        )
        try await insert(0..<400, into: first)
        // Drives out all of those, of which the first store is not told.
        try await insert(1_000..<1_400, into: second)
        try await read(1_000..<1_400, in: first)
        try await insert(2_000..<2_080, into: first)
        #expect(try await count(of: 2_000..<2_080, in: first) == 80)
        #expect(try first.countedTotals().count == 400)
    }

    @Test func whatIsOnTrialIsKnownAfterReopening() async throws {
        var store = try workspace.open(maximumCount: 400, hasFixedIdentifiers: true)
        try await insert(0..<400, into: store)
        try await read(0..<200, in: store)
        await store.close()
        store = try workspace.open(maximumCount: 400, hasFixedIdentifiers: true)
        try await insert(400..<700, into: store)
        #expect(try await count(of: 0..<200, in: store) == 200)
        #expect(try await count(of: 200..<400, in: store) == 0)
    }

    @Test func recordsTakeThePagesOfThoseThatLeaveInTheSameTransaction() async throws {
        let store = try workspace.open(maximumCount: 400, hasFixedIdentifiers: true)
        let text = String(repeating: "payload ", count: 64)
        try await insertTogether(0..<400, into: store, text)
        func pageCount() throws -> Int { try #require(try store.countOnWriter("PRAGMA page_count")) }
        let before = try pageCount()
        try await insertTogether(400..<600, into: store, text)
        #expect(try await count(of: 200..<600, in: store) == 400)
        // 200 records fill more than 30 pages.
        #expect(try pageCount() <= before + 4)
    }

    @Test func recordsWhoseTimeIsUpLeaveFirstAlsoIfTheyCameInTheSameTransaction() async throws {
        let store = try workspace.open(maximumCount: 2)
        try await insert(0..<2, into: store)
        var expired = workspace.record()
        expired.staleUntil = workspace.clock.now() - 1
        try await store.insertTogether([("2", workspace.record()), ("3", expired), ("4", workspace.record())])
        #expect(try await store.peekRecord(forKey: "2") != nil)
        #expect(try await store.peekRecord(forKey: "4") != nil)
        #expect(try store.countedTotals().count == 2)
    }

    @Test func oneThatLeavesAndReturnsInATransactionIsNotTakenForOneThatHasLeft() async throws {
        let store = try workspace.open(maximumCount: 300, hasFixedIdentifiers: true)
        try await insertTogether(0..<300, into: store)
        try await store.insertTogether([("new", workspace.record()), ("0", workspace.record())])
        let session = try store.core.session()
        #expect(try await count(of: 0..<2, in: store) == 1)
        let areGhosts = session.memory.withLock { memory in ["0", "1"].map { memory.ghosts.contains(session.identify.identifier(of: RecordKey($0))) }
        }
        #expect(areGhosts == [false, true])
    }

    @Test func noRowIsReadTwiceUntilEvictionBeginsAnew() {
        for kind in [Eviction.Kind.any, .onTrial, .tried] {
            let eviction = Eviction(EvictionProgress(), knownCount: 2, knownTrialCount: 2)
            #expect(eviction.end(of: kind) == .min)
            eviction.add([5, 9].map { RecencyRow(stamp: $0, id: $0, stored: $0) }, for: kind)
            #expect(eviction.nextRow(kind)?.stamp == 5)
            #expect(eviction.nextRow(kind)?.stamp == 9)
            #expect(eviction.nextRow(kind) == nil)
            #expect(eviction.end(of: kind) == 9)
            eviction.beginAnew()
            #expect(eviction.end(of: kind) == .min)
        }
    }

    @Test func aQueueOutOfOrderIsDamaged() throws {
        let database = try DatabaseQueue()
        try database.inDatabase { db in
            let statement = try RawStatement("SELECT column1, 7, 7 FROM (VALUES (5), (9), (8)) WHERE column1 > ? LIMIT ?", on: db)
            #expect(try RecencyRow.page(statement, after: 0, limit: 2).map(\.stamp) == [5, 9])
            #expect(throws: DatabaseError.self) { try RecencyRow.page(statement, after: 0, limit: 3) }
        }
    }

    /// A reference without ghosts, as no key returns.
    private struct Model {
        var onTrial: [Int] = []
        var tried: [Int] = []

        mutating func insert(_ number: Int, limit: Int) {
            onTrial.append(number)
            while onTrial.count + tried.count > limit {
                let count = onTrial.count + tried.count
                if onTrial.count > count / 5 || tried.isEmpty {
                    onTrial.removeFirst()
                } else {
                    tried.removeFirst()
                }
            }
        }

        mutating func read(_ number: Int) {
            onTrial.removeAll { $0 == number }
            tried.removeAll { $0 == number }
            tried.append(number)
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func evictionIsThatOfThePlainReference(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let limit = 300
        var store = try workspace.open(maximumCount: limit, hasFixedIdentifiers: true)
        var model = Model()
        var next = 0
        for round in 0..<60 {
            let end = next + Int.random(in: 1...40, using: &generator)
            // Each makes room for itself, whether it shares a transaction with others or not.
            if Bool.random(using: &generator) {
                try await insertTogether(next..<end, into: store)
            } else {
                for number in next..<end { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
            }
            for number in next..<end { model.insert(number, limit: limit) }
            next = end
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                guard let number = (model.onTrial + model.tried).randomElement(using: &generator) else { continue }
                #expect(try await store.record(forKey: RecordKey("\(number)")) != nil, "seed \(seed), round \(round), \(number)")
                model.read(number)
            }
            if round % 20 == 19 {
                await store.close()
                store = try workspace.open(maximumCount: limit, hasFixedIdentifiers: true)
            }
        }
        let held = Set(model.onTrial + model.tried)
        #expect(try await count(of: 0..<next, in: store) == held.count, "seed \(seed)")
        for number in held { #expect(try await store.peekRecord(forKey: RecordKey("\(number)")) != nil, "seed \(seed), \(number)") }
        #expect(try await store.verify(repairing: false).problems.isEmpty)
    }
}
