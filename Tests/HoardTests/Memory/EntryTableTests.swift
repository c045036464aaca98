// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite struct EntryTableTests {
    /// A key of 24 bytes.
    struct Triple: Hashable {
        let a: Int
        let b: UInt8
        let c: Int

        init(_ number: Int) { (a, b, c) = (number / 2, UInt8(truncatingIfNeeded: number), -number) }
    }

    /// Keys whose hash values all collide.
    struct Colliding: Hashable {
        let number: Int
        func hash(into hasher: inout Hasher) {}
    }

    /// Random operations on a table and on a dictionary.
    private func actsAsADictionary<Key: Hashable, Value>(
        keys: [Key],
        hash: (Key) -> UInt32,
        value: (Int) -> Value,
        areEqual: (Value, Value) -> Bool,
        location: SourceLocation = #_sourceLocation
    ) {
        for seed in UInt64(0)..<4 {
            var generator = SeededGenerator(seed: seed)
            var table = EntryTable<Key, Value>(capacity: Int.random(in: 1...4, using: &generator), hasWeights: seed % 2 == 0)
            defer { table.deallocate() }
            var model: [Key: Value?] = [:]
            for step in 0..<200 {
                guard let key = keys.randomElement(using: &generator) else { return }
                let new: Value? = Int.random(in: 0..<4, using: &generator) == 0 ? nil : value(step)
                let slot = table.find(key, hash: hash(key))
                var removed: (key: Key, value: Value?)?
                if slot == .none {
                    if table.slots.isFull { table.grow(to: table.slots.capacity + Int.random(in: 1...9, using: &generator)) }
                    let slot = table.insert(key, value: new, hash: hash(key))
                    var flags = table.slots.flags(of: slot)
                    flags.segment = .main
                    table.slots.setFlags(flags, of: slot)
                } else if Bool.random(using: &generator) {
                    removed = (table.key(at: slot), table.exchangeValue(at: slot, with: new))
                } else {
                    removed = table.remove(slot)
                }
                let wasExpected =
                    switch (model[key], removed) {
                    case (nil, nil): true
                    case (.some(let old), .some(let removed)): removed.key == key && Self.areEqual(old, removed.value, by: areEqual)
                    default: false
                    }
                if table.find(key, hash: hash(key)) == .none { model[key] = nil } else { model[key] = .some(new) }
                guard wasExpected, table.slots.count == model.count else {
                    Issue.record("seed \(seed), step \(step), key \(key): \(String(describing: removed))", sourceLocation: location)
                    return
                }
                table.checkInvariants(hash: hash)
            }
            for key in keys {
                let slot = table.find(key, hash: hash(key))
                guard slot != .none else {
                    #expect(model[key] == nil, "seed \(seed), key \(key)", sourceLocation: location)
                    continue
                }
                let found = table.slots.flags(of: slot).isNegative ? nil : table.value(at: slot)
                let isRight = model[key].map { Self.areEqual($0, found, by: areEqual) } ?? false
                #expect(isRight, "seed \(seed), key \(key)", sourceLocation: location)
            }
        }
    }

    private static func areEqual<Value>(_ a: Value?, _ b: Value?, by areEqual: (Value, Value) -> Bool) -> Bool {
        switch (a, b) {
        case (nil, nil): true
        case (let a?, let b?): areEqual(a, b)
        default: false
        }
    }

    @Test(arguments: HashPattern.allCases)
    func keysOfEveryHashAreFound(_ pattern: HashPattern) {
        actsAsADictionary(keys: Array(0..<30), hash: pattern.hash, value: { $0 }, areEqual: ==)
    }

    @Test func valuesOfEverySizeFit() {
        let bytes = Array(UInt8(0)..<20)
        func hash(_ key: UInt8) -> UInt32 { HashPattern.spread.hash(Int(key)) }
        actsAsADictionary(keys: bytes, hash: hash, value: { UInt8(truncatingIfNeeded: $0) }, areEqual: ==)
        actsAsADictionary(keys: bytes, hash: hash, value: { $0 }, areEqual: ==)
        actsAsADictionary(keys: bytes, hash: hash, value: { SIMD4<Int32>(repeating: Int32($0)) }, areEqual: ==)
        actsAsADictionary(keys: bytes, hash: hash, value: { (Int64($0), UInt8(truncatingIfNeeded: $0)) }, areEqual: ==)
        actsAsADictionary(keys: bytes, hash: hash, value: { _ in }, areEqual: { _, _ in true })
    }

    @Test func keysOfEverySizeFit() {
        func tripleHash(_ key: Triple) -> UInt32 { HashPattern.spread.hash(key.c) }
        func stringHash(_ key: String) -> UInt32 { HashPattern.spread.hash(key.utf8.count) }
        func vectorHash(_ key: SIMD4<Double>) -> UInt32 { HashPattern.spread.hash(Int(key.x)) }
        let triples = (0..<20).map { Triple($0) }
        actsAsADictionary(keys: triples, hash: tripleHash, value: { "\($0), too long to lie in the string itself" }, areEqual: ==)
        let strings = (0..<20).map { "\($0)" }
        actsAsADictionary(keys: strings, hash: stringHash, value: { [$0] }, areEqual: ==)
        let vectors = (0..<20).map { SIMD4<Double>(repeating: Double($0)) }
        actsAsADictionary(keys: vectors, hash: vectorHash, value: { $0 % 2 == 0 }, areEqual: ==)
    }

    @Test func keysWhoseHashValuesCollideAreKeptApart() {
        let hasher = KeyHasher.random()
        let hash = { (key: Colliding) in UInt32(truncatingIfNeeded: hasher(key)) }
        actsAsADictionary(keys: (0..<20).map { Colliding(number: $0) }, hash: hash, value: { $0 }, areEqual: ==)
    }

    @Test func aValueThatIsNilIsNotANegativeEntry() {
        var table = EntryTable<Int, Int?>(capacity: 2, hasWeights: false)
        defer { table.deallocate() }
        let slot = table.insert(1, value: .some(nil), hash: 1)
        #expect(!table.slots.flags(of: slot).isNegative)
        #expect(table.value(at: slot) == nil)
        let old: Int?? = table.exchangeValue(at: slot, with: nil)
        #expect(old == .some(nil))
        #expect(table.slots.flags(of: slot).isNegative)
        let none: Int?? = table.exchangeValue(at: slot, with: 5)
        #expect(none == nil)
    }

    @Test func placesAreAlignedAndDoNotOverlap() {
        func check<Key: Hashable, Value>(_ key: Key.Type, _ value: Value.Type) {
            typealias Table = EntryTable<Key, Value>
            #expect(Table.valueOffset >= MemoryLayout<Key>.size)
            #expect(Table.valueOffset % MemoryLayout<Value>.alignment == 0)
            #expect(Table.stride >= Table.valueOffset + MemoryLayout<Value>.size)
            #expect(Table.stride % Table.alignment == 0)
            #expect(Table.stride > 0)
            #expect(Table.stride < MemoryLayout<Key>.stride + MemoryLayout<Value>.stride + Table.alignment)
        }
        check(UInt8.self, UInt8.self)
        check(UInt8.self, SIMD4<Float>.self)
        check(Triple.self, Void.self)
        check(SIMD8<Double>.self, UInt8.self)
        check(Int.self, String.self)
        check(String.self, (Int, UInt8).self)
        check(Never?.self, Void.self)
    }

    /// A key that owns something.
    private struct OwningKey: Hashable {
        let number: Int
        let witness: Witness

        static func == (a: Self, b: Self) -> Bool { a.number == b.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test(arguments: 0..<8)
    func everyKeyAndValueIsReleasedOnce(seed: UInt64) {
        let releases = Shared<[Int]>([])
        var created = 0
        func witness() -> Witness {
            created += 1
            return Witness(created) { number in releases.update { $0.append(number) } }
        }
        func key(_ number: Int) -> OwningKey { OwningKey(number: number, witness: witness()) }

        var generator = SeededGenerator(seed: seed)
        var table = EntryTable<OwningKey, Witness>(capacity: 2, hasWeights: false)
        for _ in 0..<200 {
            let number = Int.random(in: 0..<16, using: &generator)
            let hash = HashPattern.spread.hash(number)
            let slot = table.find(key(number), hash: hash)
            let new = Bool.random(using: &generator) ? witness() : nil
            if slot == .none {
                if table.slots.isFull { table.grow(to: table.slots.capacity * 2) }
                let slot = table.insert(key(number), value: new, hash: hash)
                var flags = table.slots.flags(of: slot)
                flags.segment = .window
                table.slots.setFlags(flags, of: slot)
            } else if Bool.random(using: &generator) {
                _ = table.exchangeValue(at: slot, with: new)
            } else {
                _ = table.remove(slot)
            }
        }
        let kept = table.slots.usedSlots.reduce(0) { sum, slot in
            let flags = table.slots.flags(of: slot)
            return flags.segment == .free ? sum : flags.isNegative ? sum + 1 : sum + 2
        }
        #expect(releases.value.count == created - kept, "seed \(seed)")
        table.deallocate()
        #expect(releases.value.sorted() == Array(1...created), "seed \(seed)")
    }

    @Test func valuesAreHandedOutNotReleased() {
        let releases = Counter()
        var table = EntryTable<Int, Witness>(capacity: 1, hasWeights: false)
        let slot = table.insert(1, value: Witness { _ in releases.increment() }, hash: 1)
        var departed: Witness? = table.exchangeValue(at: slot, with: Witness { _ in releases.increment() })
        #expect(departed != nil)
        #expect(releases.value == 0)
        departed = nil
        #expect(releases.value == 1)
        departed = table.remove(slot).value
        #expect(departed != nil)
        #expect(releases.value == 1)
        departed = nil
        #expect(releases.value == 2)
        table.deallocate()
    }

    @Test func removedTablesLetGoWhenTheyAreReleased() {
        let releases = Counter()
        var removed: RemovedTables<Int, Witness>? = RemovedTables()
        for base in [0, 10] {
            var table = EntryTable<Int, Witness>(capacity: 4, hasWeights: false)
            for number in 0..<3 {
                let value = number == 1 ? nil : Witness(base + number) { _ in releases.increment() }
                let slot = table.insert(base + number, value: value, hash: UInt32(number))
                var flags = table.slots.flags(of: slot)
                flags.segment = .window
                table.slots.setFlags(flags, of: slot)
            }
            removed?.tables.append(table)
        }
        do {
            let departures = removed?.departures()
            let all = [departures?.first].compactMap(\.self) + (departures?.others ?? [])
            #expect(all.map(\.key) == [0, 1, 2, 10, 11, 12])
            #expect(all.map(\.value?.number) == [0, nil, 2, 10, nil, 12])
            #expect(all.allSatisfy { $0.cause == .explicit })
        }
        #expect(releases.value == 0)
        removed = nil
        #expect(releases.value == 4)
    }
}
