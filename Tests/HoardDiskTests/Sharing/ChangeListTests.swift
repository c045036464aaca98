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
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let date = Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &generator))
            list.add(
                ScopedStaleMark(
                    scope: .random(in: .min ... .max, using: &generator),
                    sequence: .random(in: 1 ... .max, using: &generator),
                    date: date
                )
            )
        }
        for _ in 0..<Int.random(in: 0...3, using: &generator) { list.add(tag: "größe \(Int.random(in: 0...9, using: &generator))") }
        if list.tags.isEmpty || Bool.random(using: &generator) { list.addAny() }
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
            #expect(read.staleMarks == list.staleMarks, "seed \(seed)")
            #expect(read.tags == list.tags, "seed \(seed)")
            #expect(read.concernsAny == list.concernsAny, "seed \(seed)")
            #expect(read.isEverything == false, "seed \(seed)")
        }
    }

    @Test func invalidationsWithoutNamesConcernAny() {
        var list = ChangeList()
        list.addInvalidation(of: 1, sequence: 2)
        #expect(decoded(list.encoded).concernsAny)
        list.add(tag: "name")
        list.add(tag: "name")
        #expect(!decoded(list.encoded).concernsAny)
        #expect(decoded(list.encoded).tags == ["name"])
        list.addAny()
        #expect(decoded(list.encoded).concernsAny)
    }

    @Test func aListCutShortAnywhereInItsMarksOrTagsMeansEverything() {
        var list = ChangeList()
        list.add(ScopedStaleMark(scope: 3, sequence: 4, date: ManualClock.start))
        list.add(tag: "first")
        list.add(tag: "second")
        let bytes = list.encoded
        for count in 0..<bytes.count { #expect(decoded(Array(bytes[..<count])).isEverything, "\(count) of \(bytes.count) bytes") }
        #expect(!decoded(bytes).isEverything)
    }

    @Test func aListOfTooManyTagsOrMarksMeansEverythingAndKeepsItsInvalidations() {
        var (named, marked) = (ChangeList(), ChangeList())
        named.addInvalidation(of: 1, sequence: 2)
        for number in 0..<10_000 {
            named.add(tag: "a tag with the number \(number)")
            marked.add(ScopedStaleMark(scope: 1, sequence: Int64(number), date: ManualClock.start))
        }
        for list in [named, marked] {
            #expect(list.isEverything && list.tags.isEmpty && list.staleMarks.isEmpty)
            #expect(decoded(list.encoded).isEverything)
        }
        #expect(decoded(named.encoded).invalidations == [1: 2])
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
            // The decoded list is never longer than the bytes allow, whatever they contain.
            #expect(list.keys.map { $0.bytes.count + 4 }.reduce(0, +) + list.invalidations.count * 16 <= max(bytes.count - 5, 0))
            if bytes.first ?? 16 > 15 { #expect(list.isEverything) }
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
        second.add(tag: "tag")
        second.addAny()
        second.add(ScopedStaleMark(scope: 3, sequence: 4, date: ManualClock.start))
        first.formUnion(second)
        #expect(first.tags == ["tag"] && first.concernsAny && first.staleMarks.count == 1)
        second.addEverything()
        first.formUnion(second)
        #expect(first.isEverything && first.keys.isEmpty)
        first.formUnion(ChangeList())
        #expect(first.isEverything)
    }
}
