// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct DeparturesTests {
    @Test func departuresKeepTheirOrder() {
        var departures = Departures<Int, String>()
        #expect(departures.isEmpty)
        #expect(departures.first == nil)
        let causes: [RemovalCause] = [.explicit, .replaced, .expired, .size]
        for (key, cause) in causes.enumerated() {
            departures.append(.init(key: key, value: key == 2 ? nil : "\(key)", cause: cause))
            #expect(!departures.isEmpty)
            #expect(departures.first?.key == 0)
            #expect(departures.others.map(\.key) == Array(1..<(key + 1)))
        }
        #expect(departures.first?.cause == .explicit)
        #expect(departures.others.map(\.cause) == Array(causes.dropFirst()))
        #expect(departures.others.map(\.value) == ["1", nil, "3"])
    }
}

@Suite struct DepartureLogTests {
    @Test func emptyLogKnowsNothing() {
        let log = DepartureLog()
        for hash in [0, 1, 63, 64, .max] as [UInt32] { #expect(log.cause(hash) == nil) }
    }

    @Test func lastDepartureOfAKeyIsRemembered() {
        var log = DepartureLog()
        log.note(0, .size)
        log.note(7, .explicit)
        log.note(.max, .replaced)
        #expect(log.cause(0) == .size)
        #expect(log.cause(7) == .explicit)
        #expect(log.cause(.max) == .replaced)
        log.note(7, .expired)
        #expect(log.cause(7) == .expired)
        #expect(log.cause(7 + 64) == nil, "another key of the same place")
        #expect(log.cause(63) == nil)
    }

    @Test func newerDepartureTakesThePlaceOfAnOlderOne() {
        var log = DepartureLog()
        for hash in UInt32(0)..<64 { log.note(hash, .size) }
        #expect((UInt32(0)..<64).allSatisfy { log.cause($0) == .size })
        for hash in UInt32(0)..<64 {
            log.note(hash + 128, .expired)
            #expect(log.cause(hash) == nil)
            #expect(log.cause(hash + 128) == .expired)
            if hash < 63 { #expect(log.cause(hash + 1) == .size) }
        }
    }
}
