// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct VersionTableTests {
    @Test func aVersionIsKnownSinceItWasSeenFirst() {
        var table = VersionTable(capacity: 10)
        table.note(.number(1), of: .of("a"), at: 5)
        table.note(.number(1), of: .of("a"), at: 9)
        #expect(table.sighting(of: .of("a")) == .init(version: .number(1), moment: 5))
        table.note(.number(2), of: .of("a"), at: 11)
        #expect(table.sighting(of: .of("a")) == .init(version: .number(2), moment: 11))
    }

    @Test func absenceIsKnownSinceItWasSeenLast() {
        var table = VersionTable(capacity: 10)
        table.note(.absent, of: .of("a"), at: 5)
        table.note(.absent, of: .of("a"), at: 9)
        #expect(table.sighting(of: .of("a"))?.moment == 9)
    }

    @Test func whatIsForgottenIsNotKnown() {
        var table = VersionTable(capacity: 10)
        for number in 0..<4 { table.note(.absent, of: .of(number), at: 1) }
        table.forget(.of(2))
        #expect(table.sighting(of: .of(2)) == nil && table.count == 3)
        table.forgetEverything()
        #expect(table.count == 0)
    }
}
