// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Synchronization
import Testing

@testable import HoardImages

@Suite struct DecodingSlotsTests {
    /// The number of callers that hold a slot now, and the greatest number so far.
    private final class Occupancy: Sendable {
        private let counts = Mutex((now: 0, peak: 0, total: 0))

        func enter() {
            counts.withLock { counts in
                counts.now += 1
                counts.total += 1
                counts.peak = max(counts.peak, counts.now)
            }
        }

        func leave() { counts.withLock { $0.now -= 1 } }

        var all: (now: Int, peak: Int, total: Int) { counts.withLock { $0 } }
    }

    /// Twenty callers at three slots, each for a while; then all that still wait are cancelled, if the test says so.
    private func run(seed: UInt64, cancelsAfter limit: Int?) async throws -> (slots: DecodingSlots, occupancy: Occupancy, refusedCount: Int) {
        let (slots, occupancy, time) = (DecodingSlots(count: 3), Occupancy(), ManualTicker())
        let refusedCount = try await SeededExecutor(seed: seed, time: time).run {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        guard await slots.take() else { return false }
                        occupancy.enter()
                        try? await time.sleep(until: time.nanoseconds() + 10)
                        occupancy.leave()
                        slots.giveBack()
                        return true
                    }
                }
                var refusedCount = 0
                var finishedCount = 0
                for await hadSlot in group {
                    if !hadSlot { refusedCount += 1 }
                    finishedCount += 1
                    if finishedCount == limit { group.cancelAll() }
                }
                return refusedCount
            }
        }
        return (slots, occupancy, refusedCount)
    }

    @Test func noMoreRunThanThereAreSlotsAndAllGetTheirTurn() async throws {
        for seed in UInt64(0)..<100 {
            let (slots, occupancy, refusedCount) = try await run(seed: seed, cancelsAfter: nil)
            #expect(occupancy.all == (now: 0, peak: 3, total: 20), "seed \(seed)")
            #expect(refusedCount == 0, "seed \(seed)")
            #expect(slots.freeCount == 3 && slots.waiterCount == 0, "seed \(seed)")
        }
    }

    @Test func callersThatAreCancelledLeaveTheQueueAndTheirSlots() async throws {
        var refusedInAll = 0
        for seed in UInt64(0)..<100 {
            let (slots, occupancy, refusedCount) = try await run(seed: seed, cancelsAfter: 5)
            #expect(occupancy.all.now == 0 && occupancy.all.peak <= 3, "seed \(seed)")
            #expect(occupancy.all.total + refusedCount == 20, "seed \(seed)")
            #expect(slots.freeCount == 3 && slots.waiterCount == 0, "seed \(seed)")
            refusedInAll += refusedCount
        }
        #expect(refusedInAll > 0)
    }

    @Test func aSlotIsGivenBackByAnError() async throws {
        let slots = DecodingSlots(count: 0)
        for _ in 0..<3 {
            await #expect(throws: ImageError.self) { try await slots.run { () throws(ImageError) -> Int in throw ImageError.damaged } }
        }
        #expect(try await slots.run { 1 } == 1)
        #expect(slots.freeCount == 1)
    }

    @Test func workForNowIsLeftOutWhenAllSlotsAreTaken() async {
        let slots = DecodingSlots(count: 1)
        #expect(slots.runNow { 1 } == 1)
        #expect(slots.freeCount == 1)
        #expect(await slots.take())
        #expect(slots.runNow { 1 } == nil)
        slots.giveBack()
        #expect(slots.runNow { slots.freeCount } == 0)
        #expect(slots.freeCount == 1)
    }
}
