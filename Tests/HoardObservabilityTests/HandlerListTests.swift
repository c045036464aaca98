// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import HoardObservability

@Suite(.timeLimit(.minutes(5))) struct HandlerListTests {
    @Test func handlersAreMadeOnceForAKey() {
        let list = HandlerList<String, Int>(maximumCount: 4)
        var made = 0
        for _ in 0..<3 {
            for (number, key) in ["a", "b", "c"].enumerated() {
                let handlers = list.handlers(for: key) {
                    made += 1
                    return number
                }
                #expect(handlers == number)
            }
        }
        #expect(made == 3)
    }

    @Test func aFullListMakesNoMoreButKeepsWhatItHas() {
        let list = HandlerList<Int, Int>(maximumCount: 2)
        #expect(list.handlers(for: 1) { 10 } == 10)
        #expect(list.handlers(for: 2) { 20 } == 20)
        #expect(list.handlers(for: 3) { 30 } == nil)
        #expect(list.handlers(for: 1) { 11 } == 10)
        #expect(list.handlers(for: 2) { 21 } == 20)
    }

    @Test func aListWithoutRoomHasNothing() {
        #expect(HandlerList<Int, Int>(maximumCount: 0).handlers(for: 1) { 10 } == nil)
    }

    @Test func ofTwoThatComeFirstTheOneThatIsDoneFirstWins() {
        let list = HandlerList<String, Int>(maximumCount: 4)
        // While the list makes the handlers of one caller, another caller comes and goes.
        let handlers = list.handlers(for: "a") { list.handlers(for: "a") { 1 }.map { $0 + 1 } ?? 0 }
        #expect(handlers == 1)
        #expect(list.handlers(for: "a") { 3 } == 1)
    }

    @Test func whoComesWhileOthersAreMadeIsKeptToo() {
        let list = HandlerList<String, Int>(maximumCount: 2)
        let handlers = list.handlers(for: "a") { list.handlers(for: "b") { 1 }.map { $0 + 1 } ?? 0 }
        #expect(handlers == 2)
        #expect(list.handlers(for: "a") { 3 } == 2)
        #expect(list.handlers(for: "b") { 4 } == 1)
    }

    @Test func theLastRoomMayBeTakenMeanwhile() {
        let list = HandlerList<String, Int>(maximumCount: 1)
        let handlers = list.handlers(for: "a") { list.handlers(for: "b") { 1 }.map { $0 + 1 } ?? 0 }
        #expect(handlers == nil)
        #expect(list.handlers(for: "b") { 3 } == 1)
    }

    @Test func manyThatComeFirstAtTheSameTimeGetTheSame() async {
        final class Handlers: Sendable {}
        for _ in 0..<100 {
            let list = HandlerList<Int, Handlers>(maximumCount: 8)
            let seen = await withTaskGroup(of: [ObjectIdentifier?].self) { group in
                for _ in 0..<4 {
                    group.addTask { (0..<10).map { key in list.handlers(for: key) { Handlers() }.map { ObjectIdentifier($0) } } }
                }
                return await group.reduce(into: [[ObjectIdentifier?]]()) { $0.append($1) }
            }
            // It is open which eight of the ten keys find room. All tasks walk the keys in the same
            // order, so the first eight find it.
            #expect(Set(seen).count == 1)
            #expect(seen[0].compactMap { $0 }.count == 8)
            #expect(Set(seen[0].compactMap { $0 }).count == 8)
        }
    }
}
