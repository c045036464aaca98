// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct VariantIndexTests {
    private func variant(_ number: Int, _ fieldNames: [String] = ["accept"]) -> VariantIndex.Variant {
        .init(fieldNames: fieldNames, digest: String(repeating: "0", count: 28) + format(number))
    }

    private func format(_ number: Int) -> String { String(String(10_000 + number).dropFirst()) }

    @Test func variantStoredLeastRecentlyGoesFirst() {
        var index = VariantIndex(generation: 1)
        for number in 1...4 { #expect(index.add(variant(number), maximumCount: 4).dropped.isEmpty) }
        #expect(index.add(variant(5), maximumCount: 4).dropped == [variant(1)])
        #expect(index.variants == [5, 4, 3, 2].map { variant($0) })
        // Stored again, it is among the recent ones.
        #expect(index.add(variant(2), maximumCount: 4).isChanged)
        #expect(index.add(variant(6), maximumCount: 4).dropped == [variant(3)])
    }

    @Test func recentVariantChangesNothing() {
        var index = VariantIndex(generation: 1)
        for number in 1...3 { _ = index.add(variant(number), maximumCount: 10) }
        let before = index
        #expect(!index.add(variant(3), maximumCount: 10).isChanged)
        #expect(!index.add(variant(1), maximumCount: 10).isChanged)
        #expect(index == before)
    }

    @Test func fieldsForgottenTakeTheirVariantsAlong() {
        var index = VariantIndex(generation: 1)
        for number in 0..<VariantIndex.maximumFieldNameSets { _ = index.add(variant(number, ["x-\(number)"]), maximumCount: 100) }
        let (dropped, isChanged) = index.add(variant(99, ["y"]), maximumCount: 100)
        #expect(dropped == [variant(0, ["x-0"])])
        #expect(isChanged)
        #expect(index.fieldNameSets.count == VariantIndex.maximumFieldNameSets)
        #expect(index.fieldNameSets.first == ["y"])
        #expect(index.variants.allSatisfy { index.fieldNameSets.contains($0.fieldNames) })
    }

    @Test(arguments: [Int.min, -1, 0, 1])
    func limitThatMakesNoSenseKeepsOne(limit: Int) {
        var index = VariantIndex(generation: 1)
        for number in 1...3 { _ = index.add(variant(number), maximumCount: limit) }
        #expect(index.variants == [variant(3)])
    }
}
