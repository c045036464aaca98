// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct PollingMemoryPressureTests {
    private let polling = ManualPolling()
    private let level = Shared(MemoryPressure.normal)

    private var source: PollingMemoryPressure {
        PollingMemoryPressure(interval: .seconds(3), currentLevel: { [level] in level.value }, sleep: polling.sleep)
    }

    @Test(arguments: [
        ([MemoryPressure.normal, .normal], []),
        ([.warning, .warning, .warning], [0]),
        ([.normal, .warning, .normal, .normal, .warning], [1, 2, 4]),
        ([.critical, .critical, .critical], [0, 1, 2]),
        ([.warning, .critical, .critical, .warning, .warning, .normal], [0, 1, 2, 3, 5]),
    ])
    func changesAndCriticalLevelsAreDue(levels: [MemoryPressure], expected: [Int]) {
        var announcement = MemoryPressureAnnouncement()
        let due = levels.indices.filter { announcement.isDue(for: levels[$0]) }
        #expect(due == expected)
    }

    @Test func levelIsLookedForAtOnceAndAfterEachPause() async throws {
        level.update { $0 = .warning }
        var levels = source.levels().makeAsyncIterator()
        #expect(await levels.next() == .warning)
        try await polling.polls(1)
        level.update { $0 = .critical }
        polling.step()
        #expect(await levels.next() == .critical)
        try await polling.polls(2)
        level.update { $0 = .normal }
        polling.step()
        #expect(await levels.next() == .normal)
        try await polling.polls(3)
        #expect(polling.pauseLengths == [.seconds(3), .seconds(3), .seconds(3)])
    }

    @Test func levelThatStaysIsNotRepeated() async throws {
        level.update { $0 = .warning }
        var levels = source.levels().makeAsyncIterator()
        #expect(await levels.next() == .warning)
        for _ in 0..<3 { polling.step() }
        try await polling.polls(4)
        polling.end()
        #expect(await levels.next() == nil)
    }

    @Test func normalLevelAtTheBeginningIsNotTold() async throws {
        var levels = source.levels().makeAsyncIterator()
        polling.step()
        try await polling.polls(2)
        polling.end()
        #expect(await levels.next() == nil)
    }

    @Test func criticalLevelIsRepeatedAtEachPoll() async throws {
        level.update { $0 = .critical }
        var levels = source.levels().makeAsyncIterator()
        for count in 1...5 {
            #expect(await levels.next() == .critical)
            try await polling.polls(count)
            polling.step()
        }
    }

    @Test func slowConsumerGetsTheNewestLevelOnly() async throws {
        level.update { $0 = .warning }
        var levels = source.levels().makeAsyncIterator()
        try await polling.polls(1)
        level.update { $0 = .critical }
        polling.step()
        try await polling.polls(2)
        polling.end()
        #expect(await levels.next() == .critical)
        #expect(await levels.next() == nil)
    }

    @Test func pollingEndsWhenTheConsumerIsCancelled() async throws {
        let source = source
        let consumer = Task {
            for await _ in source.levels() {}
        }
        try await polling.polls(1)
        consumer.cancel()
        try await polling.ended()
        await consumer.value
    }

    @Test func pollingEndsWhenTheStreamIsReleased() async throws {
        var levels: AsyncStream<MemoryPressure>? = source.levels()
        try await polling.polls(1)
        #expect(levels != nil)
        levels = nil
        try await polling.ended()
    }

    @Test func pollingLeavesNothingBehind() async throws {
        let releases = Counter()
        do {
            let witness = Witness { _ in releases.increment() }
            let source = PollingMemoryPressure(
                interval: .seconds(1),
                currentLevel: {
                    _ = witness.number; return .normal
                },
                sleep: polling.sleep
            )
            let levels = source.levels()
            try await polling.polls(1)
            withExtendedLifetime(levels) {}
        }
        try await waitUntil { releases.value == 1 }
    }

    @Test func realPausesEndByCancellation() async throws {
        let source = PollingMemoryPressure(interval: .seconds(100_000), currentLevel: { .critical })
        let consumer = Task {
            for await _ in source.levels() { return true }
            return false
        }
        #expect(await consumer.value)
    }
}
