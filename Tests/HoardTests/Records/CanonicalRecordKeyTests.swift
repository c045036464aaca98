// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct CanonicalRecordKeyTests {
    @Test func equalStringsHaveOneCanonicalKey() {
        #expect(RecordKey(canonical: "caf\u{E9}") == RecordKey(canonical: "cafe\u{301}"))
        #expect(RecordKey(canonical: "cafe\u{301}"[...]) == RecordKey("caf\u{E9}"))
        #expect(RecordKey("caf\u{E9}") != RecordKey("cafe\u{301}"))
        #expect(RecordKey(canonical: "e") != RecordKey(canonical: "\u{E9}"))
    }

    @Test func keysThatAreEqualHaveOneRecord() {
        #expect(RecordKey(of: 0.0) == RecordKey(of: -0.0))
        #expect(RecordKey(of: Float(0)) == RecordKey(of: -Float(0)))
        #expect(RecordKey(of: "caf\u{E9}") == RecordKey(of: "cafe\u{301}"))
        #expect(RecordKey(of: "caf\u{E9}"[...]) == RecordKey(of: "cafe\u{301}"[...]))
        #expect(RecordKey(of: Character("\u{E9}")) == RecordKey(of: Character("e\u{301}")))
    }

    @Test func keysThatDifferHaveTwo() {
        #expect(RecordKey(of: "-0.0") != RecordKey(of: "0.0"))
        #expect(RecordKey(of: "\u{C5}" as Unicode.Scalar) != RecordKey(of: "\u{212B}" as Unicode.Scalar))
        #expect(RecordKey(of: 1) == "1")
        #expect(RecordKey(of: -0.5) == "-0.5")
    }
}
