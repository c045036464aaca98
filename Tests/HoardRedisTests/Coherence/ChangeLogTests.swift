// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct ChangeLogTests {
    @Test func aKeyHasChangedSinceMomentsBeforeItsChangeOnly() {
        var log = ChangeLog(capacity: 100)
        let before = log.moment()
        log.note(.of("a"))
        let after = log.moment()
        #expect(log.hasChanged(.of("a"), since: before))
        #expect(!log.hasChanged(.of("a"), since: after))
        #expect(!log.hasChanged(.of("b"), since: before))
    }

    @Test func oneChangeIsToldFromSeveral() {
        var log = ChangeLog(capacity: 100)
        log.note(.of("a"))
        let before = log.moment()
        log.note(.of("a"))
        #expect(log.hasChanged(.of("a"), since: before) && !log.hasChangedAgain(.of("a"), since: before))
        log.note(.of("a"))
        #expect(log.hasChangedAgain(.of("a"), since: before))
        log.noteEverything()
        #expect(log.hasChangedAgain(.of("b"), since: before))
    }

    @Test func momentsDifferThoughNothingHappens() {
        var log = ChangeLog(capacity: 2)
        #expect(log.moment() < log.moment())
    }

    @Test func everythingChangesAtOnce() {
        var log = ChangeLog(capacity: 100)
        let before = log.moment()
        log.noteEverything()
        #expect(log.hasChanged(.of("a"), since: before))
        #expect(!log.hasChanged(.of("a"), since: log.moment()))
    }

    @Test func aMomentBeforeTheFirstCountsAsLongAgo() {
        #expect(ChangeLog(capacity: 2).hasChanged(.of("a"), since: 0))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func noChangeIsForgottenWithoutSayingSo(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 2...40, using: &generator)
        var log = ChangeLog(capacity: capacity)
        var truth: [Int: UInt64] = [:]
        var moments = [log.moment()]
        var truthOfEverything: UInt64 = 0
        for step in 0..<600 {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                log.noteEverything()
                truthOfEverything = log.floor
            case 1..<14:
                let key = Int.random(in: 0..<50, using: &generator)
                log.note(.of(key))
                truth[key] = log.latestChange
            default: moments.append(log.moment())
            }
            #expect(log.count <= capacity)
            guard let moment = moments.randomElement(using: &generator) else { continue }
            for (key, change) in truth where max(change, truthOfEverything) > moment {
                #expect(log.hasChanged(.of(key), since: moment), "With seed \(seed), at step \(step), \(key) has changed.")
            }
        }
    }

    @Test func aLongLogStillKnowsTheLatestChanges() {
        var log = ChangeLog(capacity: 100)
        for number in 0..<1_000 { log.note(.of(number)) }
        let moment = log.moment()
        for number in 0..<40 { log.note(.of(number)) }
        #expect(log.hasChanged(.of(5), since: moment))
        #expect(!log.hasChanged(.of(50), since: moment))
    }
}
