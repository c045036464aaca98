// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardViews

/// Random steps, on the state machine and on a model of plain arrays that knows the right outcome.
@Suite(.timeLimit(.minutes(5))) struct ViewFlightModelTests {
    @Test(arguments: 0..<12)
    func machineDoesWhatTheModelSays(round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var run = Run(places: Int.random(in: 1...3, using: &random), prefetches: Int.random(in: 1...6, using: &random), seed: seed)
        for _ in 0..<400 { run.step(&random) }
        run.drain()
    }

    /// A flight of the model. Its number is its work.
    private struct Flight {
        let key: ViewFlightKey
        let confirms: Bool
        var waiters: [Int] = []
        var id: FlightID?
        var isFetched: Bool
        var isStarted = false
        var hasPlace = false
        var isJoinable = true
        var isFenced = false
        var isPublishing = false
        var isAbandoned = false
        var isOver = false
    }

    private struct Run {
        var machine: ViewFlightStateMachine<Int, Int>
        let places: Int
        let prefetches: Int
        let seed: UInt64
        var flights: [Flight] = []
        /// The flight that each waiter waits for.
        var waiting: [Int: Int] = [:]
        var answered: Set<Int> = []
        /// The waiters that are fetches.
        var fetching: Set<Int> = []
        var lastWaiter = 0
        var removals: [(id: RemovalID, scope: RemovalScope, awaited: Set<Int>)] = []
        let ready = ReadyRemovals()

        final class ReadyRemovals: Sendable {
            let ids = Mutex<Set<RemovalID>>([])
        }

        final class Cancellations: Sendable {
            let numbers = Mutex<Set<Int>>([])
        }
        let cancellations = Cancellations()

        init(places: Int, prefetches: Int, seed: UInt64) {
            self.places = places
            self.prefetches = prefetches
            self.seed = seed
            machine = ViewFlightStateMachine(maximumPrefetches: prefetches, maximumConcurrentPrefetches: places)
        }

        var comment: Comment { "seed \(seed)" }

        mutating func step(_ random: inout SeededGenerator) {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<6: join(isFetch: Bool.random(using: &random), confirms: Int.random(in: 0..<8, using: &random) == 0, key: key(&random))
            case 6..<9: if let waiter = waiting.keys.sorted().randomElement(using: &random) { leave(waiter) }
            case 9..<12: if let number = pick(&random, where: { $0.isStarted && !$0.isPublishing }) { beginPublication(number) }
            case 12..<15: if let number = pick(&random, where: \.isPublishing) { endPublication(number) }
            case 15..<18: if let number = pick(&random, where: { $0.isStarted && !$0.isPublishing }) { finish(number) }
            case 18: beginRemoval([.view(key(&random).view), .partition(ExactText("p0")), .all][Int.random(in: 0..<3, using: &random)])
            default: if let index = removals.indices.filter({ removals[$0].awaited.isEmpty }).randomElement(using: &random) { endRemoval(index) }
            }
            check()
        }

        private func key(_ random: inout SeededGenerator) -> ViewFlightKey {
            let partition: String? = Bool.random(using: &random) ? "p\(Int.random(in: 0..<2, using: &random))" : nil
            let view = ViewKey(address: "\(Int.random(in: 0..<3, using: &random))", partition: partition, isSensitive: false)
            return ViewFlightKey(view: view, purpose: Int.random(in: 0..<6, using: &random) == 0 ? .kept : .answer)
        }

        private func pick(_ random: inout SeededGenerator, where isPicked: (Flight) -> Bool) -> Int? {
            flights.indices.filter { !flights[$0].isOver && isPicked(flights[$0]) }.randomElement(using: &random)
        }

        // MARK: Steps

        private mutating func join(isFetch: Bool, confirms: Bool, key: ViewFlightKey) {
            lastWaiter += 1
            let waiter = lastWaiter
            let confirms = confirms && isFetch
            if confirms, let old = joinable(key), !flights[old].confirms { fence(old) }
            var expected = Set<Int>()
            var outcome = ViewFlightStateMachine<Int, Int>.JoinOutcome.joined
            let number: Int
            if let existing = joinable(key) {
                number = existing
                if flights[existing].waiters.isEmpty { flights[existing].isFetched = false }
                if isFetch {
                    flights[existing].isFetched = true
                    if !flights[existing].isStarted {
                        flights[existing].isStarted = true
                        expected.insert(existing)
                    }
                    if flights[existing].hasPlace {
                        flights[existing].hasPlace = false
                        expected.formUnion(startNext())
                    }
                }
            } else if !isFetch, flights.count(where: { !$0.isOver && !$0.isFetched && !$0.isAbandoned }) >= prefetches {
                outcome = .refused
                number = -1
            } else {
                outcome = .began
                number = flights.count
                var flight = Flight(key: key, confirms: confirms, isFetched: isFetch)
                flight.isFenced = removals.contains { $0.scope.covers(key.view) }
                flights.append(flight)
                if isFetch {
                    flights[number].isStarted = true
                    expected.insert(number)
                } else {
                    expected.formUnion(startNext())
                }
            }
            if outcome != .refused {
                flights[number].waiters.append(waiter)
                waiting[waiter] = number
                if isFetch { fetching.insert(waiter) }
            }
            let interest = isFetch ? FlightInterest.fetch : .prefetch(maximumBytes: 1, keepsFor: 1)
            let result = machine.join(
                key,
                waiterID: UInt64(waiter),
                interest: interest,
                confirms: confirms,
                priority: 1,
                work: number,
                waiter: waiter
            )
            #expect(result.outcome == outcome, comment)
            perform(result.actions, starting: expected)
        }

        private mutating func leave(_ waiter: Int) {
            guard let number = waiting.removeValue(forKey: waiter) else { return }
            flights[number].waiters.removeAll { $0 == waiter }
            fetching.remove(waiter)
            if !flights[number].waiters.isEmpty { flights[number].isFetched = !fetching.isDisjoint(with: flights[number].waiters) }
            if flights[number].waiters.isEmpty { abandon(number) }
            let (left, actions) = machine.leave(waiterID: UInt64(waiter))
            #expect(left == waiter, comment)
            #expect(answered.insert(waiter).inserted, comment)
            perform(actions, starting: [])
            #expect(machine.leave(waiterID: UInt64(waiter)).waiter == nil, comment)
        }

        private mutating func beginPublication(_ number: Int) {
            guard let id = flights[number].id else { return }
            let isBusy = flights.contains { !$0.isOver && $0.isPublishing && $0.key.view == flights[number].key.view }
            let mayPublish = !flights[number].isFenced && !flights[number].isAbandoned
            let permission = machine.beginPublication(id, onTurn: {})
            #expect(permission == (!mayPublish ? .refused : isBusy ? .queued : .begun), comment)
            if permission == .begun { flights[number].isPublishing = true }
        }

        private mutating func endPublication(_ number: Int) {
            guard let id = flights[number].id else { return }
            flights[number].isPublishing = false
            for index in removals.indices { removals[index].awaited.remove(number) }
            if flights[number].waiters.isEmpty { abandon(number) }
            perform(machine.publicationEnded(id), starting: [])
        }

        private mutating func finish(_ number: Int) {
            guard let id = flights[number].id else { return }
            let waiters = flights[number].waiters
            flights[number].isOver = true
            flights[number].isJoinable = false
            for waiter in waiters {
                waiting[waiter] = nil
                #expect(answered.insert(waiter).inserted, comment)
            }
            let expected = flights[number].hasPlace ? startNext(freeing: number) : []
            let (landing, actions) = machine.loadFinished(id)
            #expect(landing.waiters.map(\.waiter) == waiters, comment)
            #expect(landing.isFenced == flights[number].isFenced, comment)
            #expect(landing.isFetched == flights[number].isFetched, comment)
            perform(actions, starting: expected)
        }

        private mutating func beginRemoval(_ scope: RemovalScope) {
            guard removals.count < 3 else { return }
            var awaited: Set<Int> = []
            var givenUp: Set<Int> = []
            for number in flights.indices where !flights[number].isOver && scope.covers(flights[number].key.view) {
                if flights[number].isPublishing { awaited.insert(number) }
                fence(number)
                guard !flights[number].isFetched else { continue }
                for waiter in flights[number].waiters {
                    givenUp.insert(waiter)
                    waiting[waiter] = nil
                    #expect(answered.insert(waiter).inserted, comment)
                }
                flights[number].waiters = []
                abandon(number)
            }
            let ready = ready
            let (id, actions) = machine.removalBegan(scope) { id in ready.ids.withLock { _ = $0.insert(id) } }
            removals.append((id, scope, awaited))
            #expect(Set(actions.giveUp) == givenUp, comment)
            perform(actions, starting: [])
        }

        private mutating func endRemoval(_ index: Int) {
            let removal = removals.remove(at: index)
            for number in flights.indices where !flights[number].isOver && removal.scope.covers(flights[number].key.view) { fence(number) }
            perform(machine.removalEnded(removal.id), starting: [])
        }

        // MARK: The model

        private func joinable(_ key: ViewFlightKey) -> Int? {
            flights.indices.last { !flights[$0].isOver && flights[$0].isJoinable && flights[$0].key == key }
        }

        private mutating func fence(_ number: Int) {
            flights[number].isFenced = true
            flights[number].isJoinable = false
        }

        private mutating func abandon(_ number: Int) {
            guard !flights[number].isPublishing else { return }
            flights[number].isJoinable = false
            if flights[number].isStarted { flights[number].isAbandoned = true } else { flights[number].isOver = true }
        }

        /// Gives free places to the flights that have waited longest.
        private mutating func startNext(freeing freed: Int? = nil) -> Set<Int> {
            if let freed { flights[freed].hasPlace = false }
            var started: Set<Int> = []
            for number in flights.indices where !flights[number].isOver && !flights[number].isStarted {
                guard flights.count(where: { !$0.isOver && $0.hasPlace }) < places else { break }
                flights[number].isStarted = true
                flights[number].hasPlace = true
                started.insert(number)
            }
            return started
        }

        // MARK: Comparing

        private mutating func perform(_ actions: ViewFlightStateMachine<Int, Int>.Actions, starting expected: Set<Int>) {
            #expect(Set(actions.start.map(\.work)) == expected, comment)
            #expect(actions.start.count == expected.count, comment)
            for controls in actions.cancel { controls.cancel() }
            for (id, onReady) in actions.ready { onReady(id) }
            for (id, number, priority) in actions.start {
                #expect(flights[number].id == nil, "A flight starts once; seed \(seed)")
                flights[number].id = id
                let cancellations = cancellations
                let controls = LoadControls(cancel: { cancellations.numbers.withLock { _ = $0.insert(number) } }, escalate: { _ in })
                for controls in machine.loadStarted(id, priority: priority, controls: controls).cancel { controls.cancel() }
            }
        }

        private func check() {
            let live = flights.indices.filter { !flights[$0].isOver }
            #expect(machine.flightCount == live.count, comment)
            #expect(machine.waiterCount == waiting.count, comment)
            #expect(machine.removalCount == removals.count, comment)
            #expect(machine.takenPlaceCount == live.count { flights[$0].hasPlace }, comment)
            #expect(machine.takenPlaceCount <= places, comment)
            #expect(cancellations.numbers.withLock { $0 } == Set(flights.indices.filter { flights[$0].isAbandoned }), comment)
            let readyIDs = ready.ids.withLock { $0 }
            for removal in removals { #expect(readyIDs.contains(removal.id) == removal.awaited.isEmpty, comment) }
        }

        /// Ends everything: no waiter is forgotten, and nothing is left.
        mutating func drain() {
            while let number = flights.indices.first(where: { !flights[$0].isOver && flights[$0].isStarted }) {
                if flights[number].isPublishing { endPublication(number) }
                finish(number)
                check()
            }
            while !removals.isEmpty { endRemoval(0) }
            check()
            #expect(machine.flightCount == 0, comment)
            #expect(machine.waiterCount == 0, comment)
            #expect(waiting.isEmpty, comment)
        }
    }
}
