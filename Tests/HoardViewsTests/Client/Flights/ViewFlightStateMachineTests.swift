// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardViews

@Suite(.timeLimit(.minutes(5))) struct ViewFlightStateMachineTests {
    private typealias Machine = ViewFlightStateMachine<Int, String>

    private static func key(_ name: String, partition: String? = nil) -> ViewFlightKey {
        ViewFlightKey(view: ViewKey(address: name, partition: partition, isSensitive: false), purpose: .answer)
    }

    private let a = Self.key("a")
    private let b = Self.key("b")
    private let prefetch = FlightInterest.prefetch(maximumBytes: 10, keepsFor: 1)

    private func machine(places: Int = 2, prefetches: Int = 10) -> ViewFlightStateMachine<Int, String> {
        ViewFlightStateMachine(maximumPrefetches: prefetches, maximumConcurrentPrefetches: places)
    }

    /// The calls to a load, as the machine asks for them.
    private final class Log: Sendable {
        private let entries = Mutex<[String]>([])
        var all: [String] { entries.withLock { $0 } }
        func add(_ entry: String) { entries.withLock { $0.append(entry) } }

        func controls(_ name: String) -> LoadControls {
            LoadControls(cancel: { self.add("cancel \(name)") }, escalate: { self.add("escalate \(name) \($0)") })
        }
    }

    // MARK: Joining

    @Test func firstStartsTheLoadAndOthersJoin() throws {
        var machine = machine()
        let first = machine.join(a, waiterID: 1, interest: .fetch, priority: 5, work: "w", waiter: 11)
        #expect(first.outcome == .began)
        #expect(first.actions.start.map(\.work) == ["w"])
        #expect(first.actions.start.map(\.priority) == [5])
        let second = machine.join(a, waiterID: 2, interest: .fetch, priority: 5, work: "x", waiter: 12)
        #expect(second.outcome == .joined)
        #expect(second.actions.start.isEmpty && second.actions.escalate.isEmpty)
        let flight = try #require(first.actions.start.first?.flight)
        #expect(machine.loadFinished(flight).landing.waiters.map(\.waiter) == [11, 12])
        #expect(machine.flightCount == 0 && machine.waiterCount == 0)
    }

    @Test func prefetchesBeyondThePlacesWaitInTheOrderInWhichTheyCame() throws {
        var machine = machine(places: 1)
        let first = machine.join(Self.key("1"), waiterID: 1, interest: prefetch, priority: 1, work: "1", waiter: 1)
        for number in 2...4 {
            let next = machine.join(
                Self.key("\(number)"),
                waiterID: UInt64(number),
                interest: prefetch,
                priority: 1,
                work: "\(number)",
                waiter: number
            )
            #expect(next.outcome == .began && next.actions.start.isEmpty)
        }
        var running = try #require(first.actions.start.first?.flight)
        for expected in ["2", "3", "4"] {
            let actions = machine.loadFinished(running).actions
            #expect(actions.start.map(\.work) == [expected])
            running = try #require(actions.start.first?.flight)
        }
        #expect(machine.loadFinished(running).actions.start.isEmpty)
        #expect(machine.takenPlaceCount == 0)
    }

    @Test func fetchTakesAPrefetchOutOfTheQueue() {
        var machine = machine(places: 1)
        _ = machine.join(a, waiterID: 1, interest: prefetch, priority: 1, work: "a", waiter: 1)
        _ = machine.join(b, waiterID: 2, interest: prefetch, priority: 1, work: "b", waiter: 2)
        let fetch = machine.join(b, waiterID: 3, interest: .fetch, priority: 7, work: "x", waiter: 3)
        #expect(fetch.outcome == .joined)
        #expect(fetch.actions.start.map(\.work) == ["b"])
        #expect(fetch.actions.start.map(\.priority) == [7])
        #expect(machine.takenPlaceCount == 1)
    }

    @Test func fetchThatJoinsFreesThePlaceAndRaisesThePriority() throws {
        var machine = machine(places: 1)
        let log = Log()
        let first = machine.join(a, waiterID: 1, interest: prefetch, priority: 1, work: "a", waiter: 1)
        let flight = try #require(first.actions.start.first?.flight)
        _ = machine.loadStarted(flight, priority: 1, controls: log.controls("a"))
        _ = machine.join(b, waiterID: 2, interest: prefetch, priority: 1, work: "b", waiter: 2)
        let fetch = machine.join(a, waiterID: 3, interest: .fetch, priority: 7, work: "x", waiter: 3)
        for (controls, priority) in fetch.actions.escalate { controls.escalate(priority) }
        #expect(log.all == ["escalate a 7"])
        #expect(fetch.actions.start.map(\.work) == ["b"])
        // No later waiter raises it again.
        #expect(machine.join(a, waiterID: 4, interest: .fetch, priority: 7, work: "x", waiter: 4).actions.escalate.isEmpty)
    }

    @Test func priorityThatWasRaisedBeforeTheTaskExistedIsRaisedThen() throws {
        var machine = machine()
        let log = Log()
        let first = machine.join(a, waiterID: 1, interest: prefetch, priority: 1, work: "a", waiter: 1)
        _ = machine.join(a, waiterID: 2, interest: .fetch, priority: 7, work: "x", waiter: 2)
        let actions = machine.loadStarted(try #require(first.actions.start.first?.flight), priority: 1, controls: log.controls("a"))
        for (controls, priority) in actions.escalate { controls.escalate(priority) }
        #expect(log.all == ["escalate a 7"])
    }

    @Test func prefetchBeyondTheCountIsRefused() {
        var machine = machine(places: 1, prefetches: 1)
        _ = machine.join(a, waiterID: 1, interest: prefetch, priority: 1, work: "a", waiter: 1)
        #expect(machine.join(b, waiterID: 2, interest: prefetch, priority: 1, work: "b", waiter: 2).outcome == .refused)
        #expect(machine.waiterCount == 1)
        #expect(machine.join(a, waiterID: 3, interest: prefetch, priority: 1, work: "a", waiter: 3).outcome == .joined)
        #expect(machine.join(b, waiterID: 4, interest: .fetch, priority: 1, work: "b", waiter: 4).outcome == .began)
    }

    @Test func confirmingPrefetchThatIsRefusedLeavesTheLoadUnderWayAlone() throws {
        var machine = machine(prefetches: 1)
        let flight = try #require(machine.join(a, waiterID: 1, interest: prefetch, priority: 1, work: "a", waiter: 1).actions.start.first?.flight)
        #expect(machine.join(a, waiterID: 2, interest: prefetch, confirms: true, priority: 1, work: "c", waiter: 2).outcome == .refused)
        #expect(machine.isLoading(a) && !machine.isFenced(flight) && machine.waiterCount == 1)
        #expect(machine.join(a, waiterID: 3, interest: .fetch, confirms: true, priority: 1, work: "c", waiter: 3).outcome == .began)
        #expect(machine.isFenced(flight))
    }

    // MARK: Leaving

    @Test func loadIsCancelledWhenTheLastWaiterLeaves() throws {
        var machine = machine()
        let log = Log()
        let flight = try #require(machine.join(a, waiterID: 1, interest: .fetch, priority: 1, work: "a", waiter: 1).actions.start.first?.flight)
        _ = machine.loadStarted(flight, priority: 1, controls: log.controls("a"))
        _ = machine.join(a, waiterID: 2, interest: .fetch, priority: 1, work: "a", waiter: 2)
        let first = machine.leave(waiterID: 1)
        #expect(first.waiter == 1 && first.actions.cancel.isEmpty)
        #expect(machine.leave(waiterID: 1).waiter == nil)
        let last = machine.leave(waiterID: 2)
        for controls in last.actions.cancel { controls.cancel() }
        #expect(log.all == ["cancel a"])
        #expect(machine.join(a, waiterID: 3, interest: .fetch, priority: 1, work: "a", waiter: 3).outcome == .began)
        #expect(machine.loadFinished(flight).landing.waiters.isEmpty)
        #expect(machine.isLoading(a))
    }

    @Test func loadThatIsAbandonedBeforeItsTaskExistsIsCancelledThen() throws {
        var machine = machine()
        let log = Log()
        let flight = try #require(machine.join(a, waiterID: 1, interest: .fetch, priority: 1, work: "a", waiter: 1).actions.start.first?.flight)
        _ = machine.leave(waiterID: 1)
        for controls in machine.loadStarted(flight, priority: 1, controls: log.controls("a")).cancel { controls.cancel() }
        #expect(log.all == ["cancel a"])
    }

    @Test func prefetchThatLeavesTheQueueReleasesItsWork() {
        var machine = machine(places: 1)
        _ = machine.join(a, waiterID: 1, interest: prefetch, priority: 1, work: "a", waiter: 1)
        _ = machine.join(b, waiterID: 2, interest: prefetch, priority: 1, work: "b", waiter: 2)
        #expect(machine.leave(waiterID: 2).actions.released == ["b"])
        #expect(machine.flightCount == 1)
    }

    @Test func prefetchThatJoinsAPublicationAfterItsFetchHasLeftIsNoFetch() throws {
        var machine = machine()
        let flight = try #require(machine.join(a, waiterID: 1, interest: .fetch, priority: 1, work: "a", waiter: 1).actions.start.first?.flight)
        #expect(machine.beginPublication(flight, onTurn: {}) == .begun)
        #expect(machine.leave(waiterID: 1).actions.cancel.isEmpty)
        #expect(machine.join(a, waiterID: 2, interest: prefetch, priority: 1, work: "a", waiter: 2).outcome == .joined)
        #expect(machine.publicationEnded(flight).cancel.isEmpty)
        #expect(machine.maximumBytes(flight, limit: 100) == 10)
        #expect(!machine.loadFinished(flight).landing.isFetched)
    }

    // MARK: Length

    @Test func lengthIsThatOfWhoTakesTheMost() throws {
        var machine = machine()
        let joined = machine.join(a, waiterID: 1, interest: prefetch, priority: 1, work: "a", waiter: 1)
        let flight = try #require(joined.actions.start.first?.flight)
        #expect(machine.maximumBytes(flight, limit: 100) == 10)
        _ = machine.join(a, waiterID: 2, interest: .prefetch(maximumBytes: 20, keepsFor: 1), priority: 1, work: "a", waiter: 2)
        #expect(machine.maximumBytes(flight, limit: 100) == 20)
        #expect(machine.maximumBytes(flight, limit: 15) == 15)
        _ = machine.join(a, waiterID: 3, interest: .fetch, priority: 1, work: "a", waiter: 3)
        #expect(machine.maximumBytes(flight, limit: 100) == 100)
        #expect(machine.mayGiveUp(flight, bytes: 100, limit: 100) == false)
        #expect(machine.isLoading(a))
        #expect(machine.mayGiveUp(flight, bytes: 101, limit: 100) == true)
        #expect(!machine.isLoading(a))
    }

    // MARK: Publishing and removing

    @Test func removalWaitsForAPublicationAndRefusesLaterOnes() throws {
        var machine = machine()
        let log = Log()
        let first = try #require(machine.join(a, waiterID: 1, interest: .fetch, priority: 1, work: "a", waiter: 1).actions.start.first?.flight)
        let second = try #require(machine.join(b, waiterID: 2, interest: .fetch, priority: 1, work: "b", waiter: 2).actions.start.first?.flight)
        #expect(machine.beginPublication(first, onTurn: {}) == .begun)
        let (removal, actions) = machine.removalBegan(.all) { _ in log.add("ready") }
        #expect(actions.ready.isEmpty)
        #expect(machine.beginPublication(second, onTurn: {}) == .refused)
        for (id, ready) in machine.publicationEnded(first).ready { ready(id) }
        #expect(log.all == ["ready"])
        let late = try #require(machine.join(a, waiterID: 3, interest: .fetch, priority: 1, work: "a", waiter: 3).actions.start.first?.flight)
        #expect(machine.beginPublication(late, onTurn: {}) == .refused)
        _ = machine.removalEnded(removal)
        #expect(!machine.isLoading(a))
        #expect(machine.beginPublication(late, onTurn: {}) == .refused)
        let next = try #require(machine.join(a, waiterID: 4, interest: .fetch, priority: 1, work: "a", waiter: 4).actions.start.first?.flight)
        #expect(machine.beginPublication(next, onTurn: {}) == .begun)
    }

    @Test func publicationsOfOneScreenFollowEachOther() throws {
        var machine = machine()
        let log = Log()
        let old = try #require(machine.join(a, waiterID: 1, interest: .fetch, priority: 1, work: "a", waiter: 1).actions.start.first?.flight)
        let kept = ViewFlightKey(view: a.view, purpose: .kept)
        let other = try #require(machine.join(kept, waiterID: 2, interest: .fetch, priority: 1, work: "k", waiter: 2).actions.start.first?.flight)
        #expect(machine.beginPublication(old, onTurn: {}) == .begun)
        #expect(machine.beginPublication(other) { log.add("turn") } == .queued)
        for turn in machine.publicationEnded(old).turns { turn() }
        #expect(log.all == ["turn"])
        #expect(machine.beginPublication(other, onTurn: {}) == .begun)
        #expect(machine.publicationEnded(other).turns.isEmpty)
    }

    @Test func loadThatConfirmsTakesThePlaceOfOneThatMayNot() throws {
        var machine = machine()
        let old = try #require(machine.join(a, waiterID: 1, interest: .fetch, priority: 1, work: "a", waiter: 1).actions.start.first?.flight)
        let confirming = machine.join(a, waiterID: 2, interest: .fetch, confirms: true, priority: 1, work: "c", waiter: 2)
        #expect(confirming.outcome == .began)
        #expect(machine.beginPublication(old, onTurn: {}) == .refused)
        #expect(machine.join(a, waiterID: 3, interest: .fetch, priority: 1, work: "a", waiter: 3).outcome == .joined)
        #expect(machine.join(a, waiterID: 4, interest: .fetch, confirms: true, priority: 1, work: "c", waiter: 4).outcome == .joined)
        #expect(machine.loadFinished(old).landing.waiters.map(\.waiter) == [1])
        let flight = try #require(confirming.actions.start.first?.flight)
        #expect(machine.loadFinished(flight).landing.waiters.map(\.waiter) == [2, 3, 4])
    }

    @Test func removalGivesUpPrefetchesAndLeavesFetchesServed() throws {
        var machine = machine()
        let log = Log()
        let prefetched = try #require(machine.join(a, waiterID: 1, interest: prefetch, priority: 1, work: "a", waiter: 1).actions.start.first?.flight)
        _ = machine.loadStarted(prefetched, priority: 1, controls: log.controls("a"))
        let fetched = try #require(machine.join(b, waiterID: 2, interest: .fetch, priority: 1, work: "b", waiter: 2).actions.start.first?.flight)
        let (_, actions) = machine.removalBegan(.all) { _ in }
        #expect(actions.giveUp == [1])
        for controls in actions.cancel { controls.cancel() }
        #expect(log.all == ["cancel a"])
        #expect(actions.ready.count == 1)
        #expect(machine.loadFinished(fetched).landing.isFenced)
    }

    @Test func removalReachesNothingElse() throws {
        var machine = machine()
        let mine = Self.key("a", partition: "u1")
        let others = Self.key("a", partition: "u2")
        let first = try #require(machine.join(mine, waiterID: 1, interest: .fetch, priority: 1, work: "a", waiter: 1).actions.start.first?.flight)
        let second = try #require(machine.join(others, waiterID: 2, interest: .fetch, priority: 1, work: "b", waiter: 2).actions.start.first?.flight)
        let third = try #require(machine.join(a, waiterID: 3, interest: .fetch, priority: 1, work: "b", waiter: 3).actions.start.first?.flight)
        _ = machine.removalBegan(.partition(ExactText("u1"))) { _ in }
        #expect(machine.beginPublication(first, onTurn: {}) == .refused)
        #expect(machine.beginPublication(second, onTurn: {}) == .begun)
        #expect(machine.beginPublication(third, onTurn: {}) == .begun)
        #expect(!machine.isLoading(mine) && machine.isLoading(others) && machine.isLoading(a))
    }
}
