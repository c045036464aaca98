// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardViews

@Suite(.timeLimit(.minutes(5))) struct TurnsTests {
    @Test func nobodyWorksBesideAnother() async {
        let turns = Turns()
        let state = Shared((inside: 0, most: 0, total: 0))
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    await turns.take {
                        state.update { state in
                            state.inside += 1
                            state.most = max(state.most, state.inside)
                        }
                        await Task {}.value
                        state.update { state in
                            state.inside -= 1
                            state.total += 1
                        }
                        return number
                    }
                }
            }
            var sum = 0
            for await number in group { sum += number }
            #expect(sum == 199 * 100)
        }
        #expect(state.value == (0, 1, 200))
    }

    @Test func whoeverComesWhileOneWorksWaitsThoughItsTaskIsCancelled() async {
        let turns = Turns()
        let gate = Gate()
        let steps = Shared<[Int]>([])
        let first = Task {
            await turns.take {
                await gate.pass()
                steps.update { $0.append(1) }
            }
        }
        await gate.arrivals(1)
        let second = Task { await turns.take { steps.update { $0.append(2) } } }
        second.cancel()
        gate.open()
        await first.value
        await second.value
        await turns.take { steps.update { $0.append(3) } }
        #expect(steps.value == [1, 2, 3])
    }
}
