// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Operations on one key, some of them while others are under way. Each must have a moment between its beginning and
/// its end at which it can have happened.
@Suite(.timeLimit(.minutes(5))) struct CacheLinearizabilityTests {
    enum Operation: Sendable {
        case read, remove, evict, removeIfEven, update
        case insert(Int), insertIfAbsent(Int)

        /// The result of the operation, and the value that it leaves.
        func applied(to value: Int?) -> (result: Int?, value: Int?) {
            switch self {
            case .read: (value, value)
            case .remove: (value, nil)
            case .evict: (nil, nil)
            case .removeIfEven: value?.isMultiple(of: 2) == true ? (value, nil) : (nil, value)
            // Each update changes the value, so a lost or repeated update shows.
            case .update: ((value ?? 0) * 2 + 1, (value ?? 0) * 2 + 1)
            case .insert(let new): (nil, new)
            case .insertIfAbsent(let new): (value, value ?? new)
            }
        }
    }

    struct Event: Sendable {
        let operation: Operation
        let result: Int?
        let begun: Int
        let ended: Int
    }

    /// Whether the events can have happened one after the other.
    static func isLinearizable(_ events: [Event]) -> Bool {
        struct State: Hashable {
            var done: Set<Int>
            var value: Int?
        }
        var seen: Set<State> = []
        func goOn(_ state: State) -> Bool {
            if state.done.count == events.count { return true }
            guard seen.insert(state).inserted else { return false }
            let open = events.indices.filter { !state.done.contains($0) }
            let firstEnd = open.map { events[$0].ended }.min() ?? 0
            return open.contains { index in
                let event = events[index]
                guard event.begun <= firstEnd else { return false }
                let (result, value) = event.operation.applied(to: state.value)
                return result == event.result && goOn(State(done: state.done.union([index]), value: value))
            }
        }
        return goOn(State(done: [], value: nil))
    }

    @Test func checkerTellsRightFromWrong() {
        func event(_ operation: Operation, _ result: Int?, _ begun: Int, _ ended: Int) -> Event {
            Event(operation: operation, result: result, begun: begun, ended: ended)
        }
        let insertion = event(.insert(4), nil, 0, 1)
        #expect(Self.isLinearizable([insertion, event(.update, 9, 2, 5), event(.remove, 4, 3, 4)]) == false)
        #expect(Self.isLinearizable([insertion, event(.update, 1, 2, 5), event(.remove, 4, 3, 4)]))
        #expect(Self.isLinearizable([insertion, event(.update, 9, 2, 5), event(.remove, 9, 3, 4)]))
        #expect(Self.isLinearizable([insertion, event(.update, 9, 2, 5), event(.update, 9, 3, 4)]) == false)
        #expect(Self.isLinearizable([insertion, event(.read, nil, 2, 3)]) == false)
    }

    private final class Run: Sendable {
        let cache = Cache<Int, Int>(maximumCount: 4)
        let events = Shared<[Event]>([])
        let moments = Counter()
        let generator: Shared<SeededGenerator>

        init(seed: UInt64) {
            generator = Shared(SeededGenerator(seed: seed))
        }

        func random(_ range: Range<Int>) -> Int { generator.update { Int.random(in: range, using: &$0) } }

        /// - Parameter depth: The number of updates that surround the step.
        func step(depth: Int = 0) {
            let operation: Operation =
                switch random(0..<(depth == 0 ? 10 : 6)) {
                case 0: .read
                case 1: .remove
                case 2: .insert(random(0..<100))
                case 3: .insertIfAbsent(random(0..<100))
                case 4: .evict
                case 5: .read
                case 6: .removeIfEven
                default: .update
                }
            let begun = moments.increment()
            let result = perform(operation, depth)
            let event = Event(operation: operation, result: result, begun: begun, ended: moments.increment())
            events.update { $0.append(event) }
        }

        private func perform(_ operation: Operation, _ depth: Int) -> Int? {
            var runCount = 0
            func interfere() {
                runCount += 1
                guard runCount <= 2 else { return }
                for _ in 0..<random(0..<3) { step(depth: depth + 1) }
            }
            switch operation {
            case .read: return random(0..<2) == 0 ? cache.value(forKey: 0) : cache.peek(0)
            case .remove: return cache.removeValue(forKey: 0)
            case .evict:
                cache.trim(toFraction: 0)
                return nil
            case .insert(let value):
                cache.insert(value, forKey: 0)
                return nil
            case .insertIfAbsent(let value): return cache.insertIfAbsent(value, forKey: 0)
            case .removeIfEven:
                return cache.removeValue(forKey: 0) { value in
                    interfere()
                    return value.isMultiple(of: 2)
                }
            case .update:
                return cache.update(forKey: 0) { old in
                    interfere()
                    return (old ?? 0) &* 2 &+ 1
                }
            }
        }
    }

    /// `HOARD_CACHE_SEED` repeats the seed that a failure reported.
    @Test func changesUnderWaySeeEverythingOrNothing() {
        let asked = ProcessInfo.processInfo.environment["HOARD_CACHE_SEED"].flatMap { UInt64($0) }
        let first = asked ?? .random(in: 0..<(1 << 32))
        for seed in first..<(first + 20_000) {
            let run = Run(seed: seed)
            for _ in 0..<5 { run.step() }
            if !Self.isLinearizable(run.events.value) {
                Issue.record("seed \(seed): \(run.events.value)")
                return
            }
            run.cache.checkInvariants()
        }
    }

    /// The same with two threads.
    @Test func changesOfSeveralThreadsHappenOneAfterTheOther() async {
        for round in 0..<400 {
            let run = Run(seed: .random(in: 0 ... .max))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { for _ in 0..<4 { run.step() } } }
            }
            if !Self.isLinearizable(run.events.value) {
                Issue.record("round \(round): \(run.events.value)")
                return
            }
        }
    }
}
