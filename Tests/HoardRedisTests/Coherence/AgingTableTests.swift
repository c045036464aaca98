// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct AgingTableTests {
    @Test func whatWasWrittenIsFoundUntilItIsRemoved() {
        var table = AgingTable<Int>(capacity: 10)
        #expect(table.insert(1, for: .of("a")) == false)
        #expect(table[.of("a")] == 1)
        #expect(table.peek(.of("b")) == nil)
        _ = table.insert(2, for: .of("a"))
        #expect(table[.of("a")] == 2 && table.count == 1)
        table.remove(.of("a"))
        #expect(table[.of("a")] == nil && table.count == 0)
    }

    @Test func aTableOfNoCapacityKeepsNothing() {
        var table = AgingTable<Int>(capacity: 0)
        #expect(table.insert(1, for: .of("a")) == true)
        #expect(table[.of("a")] == nil)
    }

    @Test func whatIsUsedStaysAndWhatIsNotLeaves() {
        var table = AgingTable<Int>(capacity: 20)
        _ = table.insert(0, for: .of("used"))
        _ = table.insert(0, for: .of("unused"))
        for number in 0..<100 {
            _ = table.insert(number, for: .of(number))
            #expect(table[.of("used")] == 0)
        }
        #expect(table.peek(.of("unused")) == nil)
    }

    @Test func countsStayWithinTheCapacityAndTheLatestHalfIsThere() {
        var generator = SeededGenerator(seed: 7)
        var table = AgingTable<Int>(capacity: 16)
        var latest: [Int] = []
        for step in 0..<2_000 {
            let key = Int.random(in: 0..<60, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                table.remove(.of(key))
                latest.removeAll { $0 == key }
            default:
                _ = table.insert(step, for: .of(key))
                latest.removeAll { $0 == key }
                latest.append(key)
            }
            #expect(table.count <= 16)
            for key in latest.suffix(8) { #expect(table.peek(.of(key)) != nil, "At step \(step), \(key) should be there.") }
        }
    }
}
