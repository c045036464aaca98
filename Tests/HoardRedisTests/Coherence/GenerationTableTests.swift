// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct GenerationTableTests {
    private let key = KeyHash(RecordScope.tag("tag"))

    @Test func whatWasReadIsKnown() {
        var (log, table) = (ChangeLog(capacity: 10), GenerationTable(capacity: 10))
        let sent = log.moment()
        table.note(.init(generation: Generation(number: 7), sent: sent, moment: log.moment(), expiration: nil), for: key, log: log)
        #expect(table[key]?.generation?.number == 7)
    }

    @Test func whatHasChangedSinceItWasAskedForIsNotTakenOver() {
        var (log, table) = (ChangeLog(capacity: 10), GenerationTable(capacity: 10))
        let sent = log.moment()
        log.note(key)
        table.note(.init(generation: Generation(number: 7), sent: sent, moment: log.moment(), expiration: nil), for: key, log: log)
        #expect(table[key] == nil)
        let later = log.moment()
        table.note(.init(generation: nil, sent: later, moment: log.moment(), expiration: nil), for: key, log: log)
        #expect(table[key]?.moment == log.moment() - 1 && table[key]?.generation == nil)
    }

    @Test func aReadingThatWasAskedForEarlierDoesNotReplaceALaterOne() {
        var (log, table) = (ChangeLog(capacity: 10), GenerationTable(capacity: 10))
        let sent = log.moment()
        table.note(.init(generation: Generation(number: 7), sent: log.moment(), moment: log.moment(), expiration: .never), for: key, log: log)
        table.note(.init(generation: nil, sent: sent, moment: log.moment(), expiration: nil), for: key, log: log)
        #expect(table[key]?.generation?.number == 7)
        #expect(table[key]?.expiration == .never)
    }

    @Test func absenceThatIsToldLateDoesNotHideAGenerationThatWasMadeSince() {
        var (log, table) = (ChangeLog(capacity: 10), GenerationTable(capacity: 10))
        // The creation was sent first and carried out last, and the server tells nobody of it.
        let creation = log.moment()
        let reading = log.moment()
        let absent = GenerationTable.Entry(generation: nil, sent: reading, moment: log.moment(), expiration: nil)
        table.note(absent, for: key, log: log)
        table.note(.init(generation: Generation(number: 7), sent: creation, moment: log.moment(), expiration: .never), for: key, log: log)
        #expect(table[key]?.generation?.number == 7)
        table.note(absent, for: key, log: log)
        #expect(table[key]?.generation?.number == 7)
    }

    @Test func absenceFromBeforeACreationIsNotRemembered() {
        var (log, table) = (ChangeLog(capacity: 10), GenerationTable(capacity: 10))
        let absent = GenerationTable.Entry(generation: nil, sent: log.moment(), moment: log.moment(), expiration: nil)
        table.note(absent, for: key, log: log)
        table.created(key, at: log.moment())
        #expect(table[key] == nil)
        // The reply is handled late, when what was created has been forgotten.
        table.note(absent, for: key, log: log)
        #expect(table[key] == nil)
        table.note(.init(generation: nil, sent: log.moment(), moment: log.moment(), expiration: nil), for: key, log: log)
        #expect(table[key] != nil)
    }

    @Test func howLongAKeyIsThereIsLearntLater() {
        var (log, table) = (ChangeLog(capacity: 10), GenerationTable(capacity: 10))
        let sent = log.moment()
        table.note(.init(generation: Generation(number: 7), sent: log.moment(), moment: log.moment(), expiration: nil), for: key, log: log)
        table.note(.init(generation: Generation(number: 7), sent: sent, moment: log.moment(), expiration: .never), for: key, log: log)
        #expect(table[key]?.expiration == .never)
    }

    @Test(
        arguments: [
            (KeyExpiration.never, nil, true), (.never, 5, true), (.at(100), nil, false), (.at(100), 90, true), (.at(100), 91, false),
            (.at(0), 0, false),
        ] as [(KeyExpiration, Int64?, Bool)]
    )
    func aKeyLastsForSoLong(expiration: KeyExpiration, nanoseconds: Int64?, expected: Bool) {
        #expect(expiration.lasts(nanoseconds, from: 10) == expected)
    }
}
