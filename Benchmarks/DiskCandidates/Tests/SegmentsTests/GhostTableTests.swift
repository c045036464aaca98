// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Segments

@Suite struct GhostTableTests {
    private func hashes(_ count: Int, seed: UInt64) -> [UInt64] {
        var generator = Generator(seed: seed)
        return (0..<count).map { _ in generator.next() }
    }

    @Test func aGhostIsThereOnce() {
        let table = GhostTable()
        table.reserve(1_000)
        table.insert(42)
        #expect(table.remove(42))
        #expect(!table.remove(42))
    }

    @Test(arguments: [64, 1_000, 20_000, 300_000]) func theYoungestGhostsAreThereAndOldOnesAreNot(capacity: Int) {
        let table = GhostTable()
        table.reserve(capacity)
        let hashes = hashes(capacity * 3, seed: 1)
        for hash in hashes { table.insert(hash) }
        let young = hashes.suffix(capacity / 2).count { table.remove($0) }
        let old = hashes.prefix(capacity).count { table.remove($0) }
        #expect(young > capacity / 2 * 9 / 10)
        #expect(old < capacity / 20 + 8)
    }

    @Test func aHashWithoutAGhostRarelyLooksLikeOne() {
        let table = GhostTable()
        table.reserve(100_000)
        for hash in hashes(100_000, seed: 2) { table.insert(hash) }
        #expect(hashes(1_000_000, seed: 3).count { table.remove($0) } < 60)
    }

    @Test func aGhostTakesAtMostElevenBytes() {
        for capacity in [1_000, 10_000, 123_456, 1_000_000] {
            let table = GhostTable()
            table.reserve(capacity)
            #expect(table.allocatedByteCount <= capacity * 11)
        }
    }

    @Test func withoutRoomThereAreNoGhosts() {
        let table = GhostTable()
        table.insert(1)
        #expect(!table.remove(1))
    }
}
