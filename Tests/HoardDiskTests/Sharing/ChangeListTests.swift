// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct ChangeListTests {
    private func decoded(_ bytes: [UInt8]) -> ChangeList {
        bytes.withUnsafeBytes { ChangeList(encoded: $0) }
    }

    private func random(_ generator: inout SeededGenerator) -> ChangeList {
        var list = ChangeList()
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let length = Int.random(in: 0...40, using: &generator)
            list.add(RecordKey(bytes: (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }))
        }
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            list.addInvalidation(of: Int64.random(in: .min ... .max, using: &generator), sequence: Int64.random(in: 1 ... .max, using: &generator))
        }
        return list
    }

    @Test func anEmptyListSaysThatNothingHasChanged() {
        let list = ChangeList()
        #expect(list.isEmpty)
        #expect(decoded(list.encoded) == list)
        #expect(decoded(list.encoded).isEmpty)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func whatIsEncodedIsReadBack(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let list = random(&generator)
            let read = decoded(list.encoded)
            #expect(read.keys == list.keys, "seed \(seed)")
            #expect(read.invalidations == list.invalidations, "seed \(seed)")
            #expect(read.isEverything == false, "seed \(seed)")
        }
    }

    @Test func everythingIsReadBackWithItsInvalidations() {
        var list = ChangeList()
        list.add("key")
        list.addInvalidation(of: 1, sequence: 2)
        list.addEverything()
        list.add("later")
        #expect(list.isEverything && list.keys.isEmpty && !list.isEmpty)
        let read = decoded(list.encoded)
        #expect(read.isEverything && read.keys.isEmpty)
        #expect(read.invalidations == [1: 2])
    }

    @Test func aTruncatedListHasNoMoreThanTheWholeOneAndMeansEverythingUnlessItEndsBetweenKeys() {
        var list = ChangeList()
        list.addInvalidation(of: -5, sequence: 77)
        for key in ["first", "", "third"] as [RecordKey] { list.add(key) }
        let bytes = list.encoded
        let ends = [21, 21 + 9, 21 + 9 + 4]
        for count in 0..<bytes.count {
            let read = decoded(Array(bytes[..<count]))
            #expect(read.isEverything == !ends.contains(count), "\(count) of \(bytes.count) bytes")
            if let index = ends.firstIndex(of: count) { #expect(read.keys == Array(list.keys[..<index])) }
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>) func bytesOfAnyKindNeverTrap(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var bytes = (0..<Int.random(in: 0...64, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if bytes.count > 5, Bool.random(using: &generator) { bytes.replaceSubrange(0..<5, with: [0, 0, 0, 0, 0]) }
            let list = decoded(bytes)
            // Whatever it says, it fits what was there.
            #expect(list.keys.map { $0.bytes.count + 4 }.reduce(0, +) + list.invalidations.count * 16 <= max(bytes.count - 5, 0))
            if bytes.first ?? 2 > 1 { #expect(list.isEverything) }
        }
    }

    @Test func aLengthThatDoesNotFitMeansEverything() {
        #expect(decoded([0, 255, 255, 255, 255]).isEverything)
        #expect(decoded([0, 0, 0, 0, 0, 255, 255, 255, 255]).isEverything)
        #expect(decoded([0, 0, 0, 0, 0, 2, 0, 0, 0, 65]).isEverything)
        #expect(decoded([2, 0, 0, 0, 0]).isEverything)
        #expect(!decoded([0, 0, 0, 0, 0]).isEverything)
    }

    @Test func aListThatGrowsTooLongMeansEverything() {
        var list = ChangeList()
        let key = RecordKey(String(repeating: "k", count: 1020))
        for _ in 0..<ChangeList.maximumByteCount / 1024 { list.add(key) }
        #expect(!list.isEverything)
        #expect(list.keys.count == 64)
        list.add(key)
        #expect(list.isEverything)
        #expect(list.encoded.count == 5)
    }

    @Test func theLaterInvalidationOfATagCounts() {
        var list = ChangeList()
        list.addInvalidation(of: 1, sequence: 5)
        list.addInvalidation(of: 1, sequence: 3)
        #expect(list.invalidations == [1: 5])
        list.addInvalidation(of: 1, sequence: 8)
        #expect(list.invalidations == [1: 8])
    }

    @Test func unionsHaveWhatBothHave() {
        var (first, second) = (ChangeList(), ChangeList())
        first.add("a")
        first.addInvalidation(of: 1, sequence: 1)
        second.add("b")
        second.addInvalidation(of: 1, sequence: 4)
        second.addInvalidation(of: 2, sequence: 2)
        first.formUnion(second)
        #expect(first.keys == ["a", "b"])
        #expect(first.invalidations == [1: 4, 2: 2])
        second.addEverything()
        first.formUnion(second)
        #expect(first.isEverything && first.keys.isEmpty)
        first.formUnion(ChangeList())
        #expect(first.isEverything)
    }
}
