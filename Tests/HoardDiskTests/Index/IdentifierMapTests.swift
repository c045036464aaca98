// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct IdentifierMapTests {
    /// A random identifier. Colliding identifiers have one home: the first, one in the middle or the last.
    private func identifier(colliding: Bool, using generator: inout SeededGenerator) -> Int64 {
        if !colliding { return Int64.random(in: -40...40, using: &generator) }
        let hash = [UInt64(1), 1 << 63, .max - 32][Int.random(in: 0..<3, using: &generator)] + UInt64.random(in: 0..<32, using: &generator)
        return IdentifierTable.identifier(of: hash)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>, [false, true])
    func aMapBehavesLikeADictionary(seed: UInt64, colliding: Bool) {
        var generator = SeededGenerator(seed: seed)
        var map = IdentifierMap()
        var model: [Int64: Int64] = [:]
        for step in 0..<4000 {
            let identifier = identifier(colliding: colliding, using: &generator)
            let place: Comment = "seed \(seed), step \(step)"
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<50 where identifier != 0:
                let value = Int64.random(in: .min ... .max, using: &generator)
                #expect(map.updateValue(value, forIdentifier: identifier) == model.updateValue(value, forKey: identifier), place)
            case 0..<90: #expect(map.removeValue(forIdentifier: identifier) == model.removeValue(forKey: identifier), place)
            case 99 where step % 10 == 0:
                map.removeAll()
                model = [:]
            default: break
            }
            #expect(map[identifier] == model[identifier], place)
            #expect(map.count == model.count, place)
            #expect(map.isEmpty == model.isEmpty, place)
            if step % 100 == 0 { expectEqual(map, model, place) }
        }
        expectEqual(map, model, "seed \(seed)")
    }

    private func expectEqual(_ map: IdentifierMap, _ model: [Int64: Int64], _ place: Comment) {
        var contents: [Int64: Int64] = [:]
        map.forEach { #expect(contents.updateValue($1, forKey: $0) == nil, place) }
        #expect(contents == model, place)
        for (identifier, value) in model { #expect(map[identifier] == value, place) }
    }

    @Test(arguments: [0, 1, 48, 49, 5000]) func aMapGrowsBeyondItsFirstCapacity(minimumCapacity: Int) {
        var map = IdentifierMap(minimumCapacity: minimumCapacity)
        for number in 1...10_000 as ClosedRange<Int64> { #expect(map.updateValue(-number, forIdentifier: number) == nil) }
        #expect(map.count == 10_000)
        for number in 1...10_000 as ClosedRange<Int64> { #expect(map[number] == -number) }
        #expect(map[10_001] == nil)
        for number in 1...10_000 as ClosedRange<Int64> where number % 3 != 0 { #expect(map.removeValue(forIdentifier: number) == -number) }
        for number in 1...10_000 as ClosedRange<Int64> { #expect(map[number] == (number % 3 == 0 ? -number : nil)) }
    }

    @Test func aLargeMapHasFewPlacesThatAreEmpty() {
        var generator = SeededGenerator(seed: 3)
        for count in [1_000, 10_000, 70_000, 200_000] {
            var map = IdentifierMap()
            while map.count < count { map.updateValue(1, forIdentifier: Int64.random(in: .min ... .max, using: &generator)) }
            #expect(map.allocatedByteCount <= count * 28, "\(count)")
            let reserved = IdentifierMap(minimumCapacity: count)
            #expect(reserved.allocatedByteCount <= count * 28, "\(count)")
        }
    }

    @Test func hashesThatAreNotAtRandomLengthenTheTail() {
        var map = IdentifierMap()
        let identifiers = (1...3_000 as ClosedRange<UInt64>).map { IdentifierTable.identifier(of: 0 &- $0) }
        for identifier in identifiers { #expect(map.updateValue(~identifier, forIdentifier: identifier) == nil) }
        for identifier in identifiers { #expect(map[identifier] == ~identifier) }
        #expect(map.allocatedByteCount <= 3_000 * 128)
        for identifier in identifiers.dropLast() { #expect(map.removeValue(forIdentifier: identifier) == ~identifier) }
        #expect(map.count == 1)
    }

    @Test func whatIsReservedIsEnough() {
        for capacity in [40, 41, 1_000, 16_384, 60_000] {
            var map = IdentifierMap(minimumCapacity: capacity)
            let reserved = map.allocatedByteCount
            for identifier in 1...Int64(capacity) { map.updateValue(1, forIdentifier: identifier) }
            #expect(map.allocatedByteCount == reserved, "\(capacity)")
        }
    }

    @Test func aMapThatIsDividedKeepsItsMembers() {
        var generator = SeededGenerator(seed: 7)
        var map = IdentifierMap()
        let identifiers = Set((0..<IdentifierMap.dividedCount + 5_000).map { _ in Int64.random(in: .min ... .max, using: &generator) }).subtracting([
            0
        ])
        for identifier in identifiers { #expect(map.updateValue(~identifier, forIdentifier: identifier) == nil) }
        #expect(map.count == identifiers.count)
        var seen: Set<Int64> = []
        map.forEach { identifier, value in
            if value == ~identifier { seen.insert(identifier) }
        }
        #expect(seen == identifiers)
        for identifier in identifiers { #expect(map.removeValue(forIdentifier: identifier) == ~identifier) }
        #expect(map.isEmpty)
        #expect(map[1] == nil)
    }

    @Test func zeroIsNoIdentifier() {
        var map = IdentifierMap()
        #expect(map.updateValue(1, forIdentifier: 0) == nil)
        #expect(map[0] == nil)
        #expect(map.removeValue(forIdentifier: 0) == nil)
        #expect(map.isEmpty)
    }

    @Test func extremeNumbersAreKept() {
        var map = IdentifierMap()
        for number in [Int64.min, -1, 1, .max] { map.updateValue(number, forIdentifier: number) }
        for number in [Int64.min, -1, 1, .max] { #expect(map[number] == number) }
        #expect(map.updateValue(7, forIdentifier: .min) == .min)
        #expect(map[.min] == 7 && map.count == 4)
    }

    @Test func copiesAreIndependent() {
        var map = IdentifierMap()
        map.updateValue(1, forIdentifier: 1)
        let copy = map
        map.updateValue(2, forIdentifier: 1)
        map.removeAll()
        #expect(copy[1] == 1)
    }
}
