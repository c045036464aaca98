// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import HoardViews

@Suite("JSONNesting")
struct JSONNestingTests {
    private func depth(of json: String) -> Int? {
        let data = Data(json.utf8)
        return (0...200).first { limit in (try? JSONNesting.checked(data, maximumDepth: limit)) != nil }
    }

    @Test(arguments: [
        ("1", 0), ("\"[[[\"", 0), ("[]", 1), ("{}", 1), ("[[],[]]", 2), (#"{"a":{"b":[1]}}"#, 3), (#"["\"[[[", [1]]"#, 2), (#"["\\", [[1]]]"#, 3),
        (#"{"[{[{":"}]}]"}"#, 1), ("[[[[", 4),
    ])
    func levelsOfObjectsAndArraysAreCounted(json: String, levels: Int) {
        #expect(depth(of: json) == levels)
    }

    @Test func randomNestingsAreCountedAsTheyWereMade() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let levels = Int.random(in: 1...60, using: &random)
            var json = "1"
            for _ in 0..<levels {
                let noise = ["\"]}\\\"\"", "\"\\\\\"", "[]", "{}", "null"].randomElement(using: &random) ?? ""
                json = Bool.random(using: &random) ? "[\(noise), \(json)]" : #"{"{[": \#(noise), "a": \#(json)}"#
            }
            let depth = depth(of: json)
            // A value beside the innermost one may be one level itself, which is no deeper than the
            // innermost value's own array.
            #expect(depth == levels || depth == levels + 1, "seed \(seed)")
            #expect((try? JSONNesting.checked(Data(json.utf8), maximumDepth: levels - 1)) == nil, "seed \(seed)")
        }
    }

    @Test func onlyOneByteOrderMarkIsTakenAway() throws {
        let mark = Data([0xEF, 0xBB, 0xBF])
        #expect(try JSONNesting.checked(mark + Data("[]".utf8), maximumDepth: 1) == Data("[]".utf8))
        #expect(try JSONNesting.checked(mark + mark + Data("[]".utf8), maximumDepth: 1) == mark + Data("[]".utf8))
        #expect(try JSONNesting.checked(Data(), maximumDepth: 1).isEmpty)
    }

    @Test func aZeroByteIsRefusedWhereverItStands() {
        for json in ["\u{0}[]", "[\u{0}]", "[\"\u{0}\"]", "[]\u{0}"] {
            let error = #expect(throws: ComponentCodingError.self) { try JSONNesting.checked(Data(json.utf8), maximumDepth: 9) }
            #expect(error?.code == .notJSON)
        }
    }

    @Test func partsOfLargerDataAreRead() throws {
        let data = Data("xx[[1]]yy".utf8)
        #expect(try JSONNesting.checked(data[2..<7], maximumDepth: 2) == Data("[[1]]".utf8))
    }
}
