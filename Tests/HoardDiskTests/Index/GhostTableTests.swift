// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct GhostTableTests {
    private func identifiers(_ count: Int, seed: UInt64) -> [Int64] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Int64.random(in: .min ... .max, using: &generator) }
    }

    @Test func aGhostIsThereUntilItIsRemoved() {
        var table = GhostTable()
        table.reserve(1_000)
        table.insert(42)
        #expect(table.contains(42))
        let wasThere = table.remove(42)
        #expect(wasThere && !table.contains(42))
        let isThere = table.remove(42)
        #expect(!isThere)
    }

    @Test(arguments: [64, 1_000, 20_000, 300_000]) func theYoungestGhostsAreThereAndOldOnesAreNot(capacity: Int) {
        var table = GhostTable()
        table.reserve(capacity)
        let identifiers = identifiers(capacity * 3, seed: 1)
        for identifier in identifiers { table.insert(identifier) }
        #expect(identifiers.suffix(capacity / 2).count { table.contains($0) } > capacity / 2 * 9 / 10)
        #expect(identifiers.prefix(capacity).count { table.contains($0) } < capacity / 20 + 8)
    }

    @Test func anIdentifierWithoutAGhostRarelyLooksLikeOne() {
        var table = GhostTable()
        table.reserve(100_000)
        for identifier in identifiers(100_000, seed: 2) { table.insert(identifier) }
        #expect(identifiers(1_000_000, seed: 3).count { table.contains($0) } < 60)
    }

    @Test func aGhostTakesAtMostElevenBytes() {
        for capacity in [1_000, 10_000, 123_456, 1_000_000] {
            var table = GhostTable()
            table.reserve(capacity)
            #expect(table.allocatedByteCount <= capacity * 11)
        }
    }

    @Test func withoutRoomThereAreNoGhosts() {
        var table = GhostTable()
        table.insert(1)
        #expect(!table.contains(1))
    }
}
