// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import HoardDisk

@Suite struct WritingPausesTests {
    /// Delayed actions, which the test runs when it chooses.
    private final class Later: Sendable {
        private let actions = Mutex<[@Sendable () -> Void]>([])

        var count: Int { actions.withLock { $0.count } }
        func add(_ action: @escaping @Sendable () -> Void) { actions.withLock { $0.append(action) } }
        func pass() {
            let due = actions.withLock { actions in
                defer { actions = [] }
                return actions
            }
            for action in due { action() }
        }
    }

    private let later = Later()
    private let pauses: WritingPauses

    init() {
        pauses = WritingPauses { [later] in later.add($0) }
    }

    private func commit(_ count: Counter) {
        pauses.noteCommit()
        pauses.wait(for: count.increment)
    }

    @Test func commitsThatWaitForNothingPutThePauseOffToo() {
        let count = Counter()
        commit(count)
        for _ in 0..<3 {
            pauses.noteCommit()
            later.pass()
            #expect(count.value == 0)
        }
        later.pass()
        #expect(count.value == 1)
    }

    @Test func manyCommitsMakeOnePause() {
        let count = Counter()
        for _ in 0..<100 { commit(count) }
        #expect(later.count == 1)
        later.pass()
        // The first pause began with the first commit, and other commits followed.
        #expect(count.value == 0)
        #expect(later.count == 1)
        later.pass()
        #expect(count.value == 1)
        #expect(later.count == 0)
    }

    @Test func aCommitInBetweenPutsThePauseOff() {
        let count = Counter()
        commit(count)
        for _ in 0..<3 {
            commit(count)
            later.pass()
            #expect(count.value == 0)
        }
        later.pass()
        #expect(count.value == 1)
    }

    @Test func eachPauseIsNoticed() {
        let count = Counter()
        for round in 1...3 {
            commit(count)
            later.pass()
            #expect(count.value == round)
        }
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        var value: Int { count.load(ordering: .relaxed) }
        @Sendable func increment() { count.wrappingAdd(1, ordering: .relaxed) }
    }
}
