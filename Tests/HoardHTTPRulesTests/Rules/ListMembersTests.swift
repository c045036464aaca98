// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport
import Testing

@testable import HoardHTTP
@testable import HoardMessages

@Suite struct ListMembersTests {
    private func members(_ text: String, quoting: ListMembers.Quoting = .quotedString) -> [String] {
        ListMembers(Array(text.utf8), quoting: quoting).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("", []), (",", []), (" ,\t, ", []), ("a", ["a"]), ("a,b", ["a", "b"]), (" a , b ", ["a", "b"]), ("a,,b,", ["a", "b"]), ("a b", ["a b"]),
            ("\"a,b\",c", ["\"a,b\"", "c"]), ("x=\"a,b\"", ["x=\"a,b\""]), ("\"\",\"\"", ["\"\"", "\"\""]), ("\"a\"b\"c,d\"", ["\"a\"b\"c,d\""]),
        ] as [(String, [String])]
    )
    func splitsAtCommasOutsideQuotes(text: String, expected: [String]) {
        #expect(members(text) == expected)
    }

    @Test func heedsBackslashesInQuotedStringsOnly() {
        #expect(members("\"a\\\",b\",c") == ["\"a\\\",b\"", "c"])
        #expect(members("\"a\\\",b", quoting: .entityTag) == ["\"a\\\"", "b"])
    }

    @Test func marksWhatFollowsAQuoteLeftOpen() {
        let members = Array(ListMembers(Array("a,b=\"c,d,\"".utf8)))
        #expect(members.map(\.isDamaged) == [false, false])
        let damaged = Array(ListMembers(Array("a,b=\"c,d".utf8)))
        #expect(damaged.map(\.isDamaged) == [false, true, true])
        #expect(damaged.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a", "b=\"c", "d"])
    }

    @Test func yieldsTrimmedNonEmptyMembersThatLieInTheValue() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            let bytes = generator.bytes(upTo: 40, alphabet: "a, \"\\\t")
            var end = 0
            for member in ListMembers(bytes) {
                #expect(!member.bytes.isEmpty, "seed \(generator.seed)")
                #expect(member.bytes.startIndex >= end, "seed \(generator.seed)")
                #expect(member.bytes.elementsEqual(member.bytes.trimmed), "seed \(generator.seed)")
                end = member.bytes.endIndex
            }
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("00", 0), ("1", 1), ("2147483648", 2_147_483_648), ("2147483649", 2_147_483_648), ("18446744073709551616", 2_147_483_648),
            ("", nil), ("-1", nil), ("1.0", nil), (" 1", nil), ("1 ", nil), ("١", nil),
        ] as [(String, Int64?)]
    )
    func readsSeconds(text: String, seconds: Int64?) {
        #expect(DeltaSeconds.parse(Array(text.utf8)) == seconds)
    }
}
