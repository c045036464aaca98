// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardViews

@Suite("JSON paths")
struct MemberNameTests {
    private struct Index: CodingKey {
        let intValue: Int?
        var stringValue: String { "Index \(intValue ?? 0)" }

        init(_ index: Int) { intValue = index }
        init?(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }

    @Test func membersAndElementsAreWrittenAsInRFC9535() {
        #expect(jsonPath([]) == "$")
        #expect(jsonPath([MemberName("children"), Index(2), MemberName("text")]) == "$.children[2].text")
        #expect(jsonPath([MemberName("_beagleComponent_")]) == "$._beagleComponent_")
    }

    @Test(arguments: ["a b", "", "1a", "é", "a.b", "a[0]"])
    func otherNamesStandInQuotes(name: String) {
        #expect(jsonPath([MemberName(name)]) == "$['\(name)']")
    }

    @Test func namesAreCutAndCannotDriveATerminal() {
        #expect(jsonPath([MemberName("\u{1b}[2J")]) == "$['\\u{1b}[2J']")
        #expect(jsonPath([MemberName(String(repeating: "a", count: 1_000))]).count < 100)
    }

    @Test func visibleTextStaysOnOneLine() {
        #expect(visible("plain ü 😀", limit: 80) == "plain ü 😀")
        #expect(visible("a\nb\u{2028}c\u{202e}d\u{0}", limit: 80) == "a\\u{a}b\\u{2028}c\\u{202e}d\\u{0}")
        #expect(visible("abcdef", limit: 3) == "abc…")
        #expect(visible("abc", limit: 3) == "abc")
        #expect(visible("e" + String(repeating: "\u{301}", count: 1_000), limit: 3).unicodeScalars.count == 4)
    }

    @Test func aNameIsNoNumber() {
        #expect(MemberName("1").intValue == nil)
        #expect(MemberName(intValue: 1) == nil)
        #expect(MemberName(stringValue: "a")?.stringValue == "a")
    }
}
