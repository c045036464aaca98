// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct CoherenceStateTests {
    private let keys = RedisKeys(prefix: "app")

    private func makeState(isTracked: Bool = true) -> CoherenceState {
        CoherenceState(keys: keys, isTracked: isTracked, changeLogCapacity: 100, versionCapacity: 100, generationCapacity: 100)
    }

    private func push(_ names: [[UInt8]]) -> [RESPValue] {
        [.bulkString(ByteBuffer(string: "invalidate")), .array(names.map { .bulkString(ByteBuffer(bytes: $0)) })]
    }

    @Test func everyKindOfKeyIsToldAsWhatItIs() {
        var state = makeState()
        let tidings = state.handle(
            push: push([
                keys.record("key"), keys.scope(.tag("größe")), keys.scope(.tag("other")), keys.scope(.partition("ann")), keys.lease("key"),
                Array("app2{}:rother".utf8), Array("app{}:".utf8), Array("app{}:x".utf8),
            ])
        )
        #expect(tidings.records == ["key"])
        #expect(tidings.tags == ["größe", "other"])
        #expect(tidings.partitions == ["ann"])
        #expect(!tidings.isOfEverything)
        #expect(tidings.keys.count == 5)
        #expect(Set(tidings.invalidations) == [.init(key: "key"), .init(tags: ["größe", "other"]), .init(partition: "ann")])
        #expect(state.handle(push: push([keys.scope(.everything)])).invalidations == [.everything])
    }

    @Test func aPushOfAnotherKindSaysNothing() {
        var state = makeState()
        let moment = state.moment()
        for push: [RESPValue] in [
            [], [.bulkString(ByteBuffer(string: "invalidate"))], [.bulkString(ByteBuffer(string: "message")), .array([.bulkString(ByteBuffer())])],
            [.integer(1), .null],
        ] {
            #expect(state.handle(push: push) == Tidings())
        }
        #expect(!state.log.hasChanged(.of("key"), since: moment))
    }

    @Test func aFlushedServerHasNothingThatWasKnown() {
        var state = makeState()
        state.connected()
        state.saw(.number(1), of: .of("key"))
        let moment = state.moment()
        let tidings = state.handle(push: [.simpleString("invalidate"), .null])
        #expect(tidings.isOfEverything)
        #expect(state.log.hasChanged(.of("anything"), since: moment))
        #expect(state.sighting(of: .of("key")) == nil)
    }

    @Test func whatIsToldOfATagIsNoLongerKnown() {
        var state = makeState()
        let (scope, sent) = (KeyHash(RecordScope.tag("tag")), state.moment())
        state.saw(Generation(number: 3), .never, of: scope, sentAt: sent)
        #expect(state.known(.tag("tag")) == .known(Generation(number: 3)))
        _ = state.handle(push: push([keys.scope(.tag("tag"))]))
        #expect(state.known(.tag("tag")) == .unknown)
        // An answer to an earlier question is not believed.
        state.saw(Generation(number: 3), .never, of: scope, sentAt: sent)
        #expect(state.known(.tag("tag")) == .unknown)
    }

    @Test func whatNobodyTellsTheChangesOfIsNotRemembered() {
        var state = makeState(isTracked: false)
        state.saw(Generation(number: 3), .never, of: KeyHash(RecordScope.everything), sentAt: state.moment())
        #expect(state.known(.everything) == .unknown)
    }

    @Test(arguments: [true, false]) func theEndOrBeginningOfAConnectionChangesEverything(isBeginning: Bool) {
        var state = makeState()
        state.saw(.number(1), of: .of("key"))
        state.saw(Generation(number: 3), .never, of: KeyHash(RecordScope.everything), sentAt: state.moment())
        let moment = state.moment()
        if isBeginning { state.connected() } else { state.disconnected() }
        #expect(state.isConnected == isBeginning)
        #expect(state.log.hasChanged(.of("key"), since: moment))
        #expect(state.sighting(of: .of("key")) == nil)
        #expect(state.known(.everything) == .unknown)
    }

    @Test func aChangeThatAScriptOfOursMakesIsNotedButNotTold() {
        var state = makeState()
        let moment = state.moment()
        state.beginScript(on: .of("key"))
        #expect(state.handle(push: push([keys.record("key")])).invalidations.isEmpty)
        #expect(state.log.hasChanged(.of("key"), since: moment))
        #expect(state.endScript(on: .of("key"), seen: state.tellings(of: .of("key"))) == .done(mustTell: false))
        #expect(state.handle(push: push([keys.record("key")])).invalidations == [.init(key: "key")])
    }
}
