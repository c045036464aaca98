// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite struct ShardCellsTests {
    private func cells<Value: Sendable>(_ count: Int, of type: Value.Type) -> ShardCells<Int, Value> {
        ShardCells(count: count, capacity: count) { number in
            Shard(rules: .init(maximumCount: 10 + number, maximumWeight: nil, shardCount: count, accessLifetime: 0, keepsWriteTimes: false))
        }
    }

    private func insert<Value>(_ value: Value?, forKey key: Int, hash: UInt64, into cells: borrowing ShardCells<Int, Value>) {
        var departures = Departures<Int, Value>()
        let wasKept = cells.withShard(for: hash) { shard in
            let entry = NewEntry(value: value, weight: 1, deadline: .max, writeTime: 0)
            return shard.insert(entry, forKey: key, hash: hash, now: 0, tuner: WindowTuner(), departures: &departures)
        }
        #expect(wasKept)
    }

    @Test(arguments: [1, 2, 4, 8, 16, 32, 64])
    func upperBitsOfTheHashChooseTheShard(count: Int) {
        let cells = cells(count, of: Int.self)
        for number in 0..<count {
            let limit = cells.withShard(number) { $0.rules.maximumCount }
            #expect(limit == 10 + number, "shards were made in their order")
        }
        for upper in UInt64(0)..<64 {
            let number = cells.number(for: upper << 58 | 0x3FF_FFFF_FFFF_FFFF)
            #expect(number == Int(upper) % count)
            let same = cells.number(for: upper << 58)
            #expect(same == number, "the other bits do not matter")
            let limit = cells.withShard(for: upper << 58) { $0.rules.maximumCount }
            #expect(limit == 10 + number)
        }
    }

    @Test func cellsShareNoCacheLines() {
        func check<Key: Hashable & Sendable, Value: Sendable>(_ key: Key.Type, _ value: Value.Type) {
            typealias Cells = ShardCells<Key, Value>
            #expect(Cells.stride % 128 == 0)
            #expect(Cells.stride >= Cells.shardOffset + MemoryLayout<Shard<Key, Value>>.size)
            #expect(Cells.shardOffset >= MemoryLayout<ShardLock>.size)
            #expect(MemoryLayout<Shard<Key, Value>>.alignment <= Cells.lineSize)
            let cells = Cells(count: 4, capacity: 4) { _ in
                Shard(rules: .init(maximumCount: 1, maximumWeight: nil, shardCount: 4, accessLifetime: 0, keepsWriteTimes: false))
            }
            let addresses = (0..<4).map { Int(bitPattern: UnsafeRawPointer(cells.lock($0))) }
            #expect(addresses.allSatisfy { $0 % 128 == 0 })
        }
        check(Int.self, Int.self)
        check(String.self, [String].self)
        check(UInt8.self, SIMD8<Double>.self)
    }

    @Test func lockIsHeldInsideOnly() {
        let cells = cells(2, of: Int.self)
        let wasFree = cells.isFree(0)
        #expect(wasFree)
        let wereFree = cells.withShard(0) { _ in [cells.isFree(0), cells.isFree(1)] }
        #expect(wereFree == [false, true])
        let isFree = cells.isFree(0)
        #expect(isFree)
    }

    @Test func deallocationReleasesAllValuesOnce() {
        let releases = Shared<[Int]>([])
        do {
            let cells = cells(4, of: Witness.self)
            let hasher = KeyHasher.random()
            for key in 0..<20 {
                let value = key % 5 == 0 ? nil : Witness(key) { number in releases.update { $0.append(number) } }
                // Ten entries or more fit into each shard, and each shard gets five of the
                // keys. Four keys in five have a value.
                insert(value, forKey: key, hash: UInt64(key % 4) << 58 | hasher(key) & 0xFFFF_FFFF, into: cells)
            }
            #expect(releases.value.isEmpty)
        }
        #expect(releases.value.sorted() == (0..<20).filter { $0 % 5 != 0 })
    }
}
