// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct OwnWritesTests {
    private let key = KeyHash.of("key")

    @Test func whatIsToldWithoutAScriptIsNotHeldBack() {
        var writes = OwnWrites()
        #expect(writes.holdBack(key) == false)
        #expect(writes.isEmpty)
    }

    @Test func ourOwnChangeIsNotToldToUs() {
        var writes = OwnWrites()
        writes.begin(key)
        #expect(writes.holdBack(key) == true)
        #expect(writes.end(key, seen: writes.tellings(of: key)) == .done(mustTell: false))
        #expect(writes.isEmpty)
    }

    @Test func aChangeThatWasFoundInTheValueIsTold() {
        var writes = OwnWrites()
        writes.begin(key)
        #expect(writes.holdBack(key) == true)
        #expect(writes.end(key, seen: nil) == .done(mustTell: true))
        #expect(writes.holdBack(key) == false)
    }

    @Test func aScriptThatHasDoneNothingAndOfWhichNothingWasToldTellsNothing() {
        var writes = OwnWrites()
        writes.begin(key)
        #expect(writes.end(key, seen: nil) == .done(mustTell: false))
    }

    @Test func whatIsToldAfterTheReadingWasSentIsLookedAtAgain() {
        var writes = OwnWrites()
        writes.begin(key)
        let sent = writes.tellings(of: key)
        _ = writes.holdBack(key)
        #expect(writes.end(key, seen: sent) == .readAgain)
        #expect(writes.end(key, seen: writes.tellings(of: key)) == .done(mustTell: false))
    }

    @Test func theLastOfTwoScriptsTells() {
        var writes = OwnWrites()
        writes.begin(key)
        writes.begin(key)
        _ = writes.holdBack(key)
        #expect(writes.end(key, seen: nil) == .done(mustTell: false))
        #expect(writes.holdBack(key) == true)
        #expect(writes.end(key, seen: nil) == .done(mustTell: true))
    }

    @Test func whatTheFirstOfTwoScriptsHasMetIsToldAtLast() {
        var writes = OwnWrites()
        writes.begin(key)
        writes.begin(key)
        _ = writes.holdBack(key)
        #expect(writes.end(key, seen: nil) == .done(mustTell: false))
        #expect(writes.end(key, seen: writes.tellings(of: key)) == .done(mustTell: true))
    }

    @Test func theEndOfTheConnectionTellsEverythingAnyway() {
        var writes = OwnWrites()
        writes.begin(key)
        _ = writes.holdBack(key)
        writes.forgetTellings()
        #expect(writes.end(key, seen: nil) == .done(mustTell: false))
    }

    @Test func aChangeAfterTheEndOfAConnectionIsNotTakenForTheOneBefore() {
        var writes = OwnWrites()
        writes.begin(key)
        _ = writes.holdBack(key)
        let sent = writes.tellings(of: key)
        // In a cluster, of another node: the reading goes on.
        writes.forgetTellings()
        _ = writes.holdBack(key)
        #expect(writes.end(key, seen: sent) == .readAgain)
        #expect(writes.end(key, seen: nil) == .done(mustTell: true))
    }
}
