// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTestSupport
import HoardTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct MemoryPressureResponderTests {
    private let source = ManualPressureSource()
    private let calls = Shared<[MemoryPressure]>([])

    private func makeResponder() -> MemoryPressureResponder {
        MemoryPressureResponder(source: source) { [calls] level in calls.update { $0.append(level) } }
    }

    @Test func actionRunsOnceForEachLevelInTheirOrder() async throws {
        let responder = makeResponder()
        let levels = [MemoryPressure.warning, .critical, .critical, .normal]
        for level in levels { source.continuation.yield(level) }
        try await waitUntil { calls.value.count == levels.count }
        #expect(calls.value == levels)
        responder.cancel()
    }

    @Test func cancelledResponderStopsObserving() async throws {
        let responder = makeResponder()
        source.continuation.yield(.warning)
        try await waitUntil { calls.value == [.warning] }
        responder.cancel()
        responder.cancel()
        try await source.terminated()
        source.continuation.yield(.critical)
        #expect(calls.value == [.warning])
    }

    @Test func responderThatIsReleasedStopsObserving() async throws {
        var responder: MemoryPressureResponder? = makeResponder()
        source.continuation.yield(.warning)
        try await waitUntil { calls.value == [.warning] }
        #expect(responder != nil)
        responder = nil
        try await source.terminated()
        source.continuation.yield(.critical)
        #expect(calls.value == [.warning])
    }

    @Test func actionIsReleasedWhenTheSourceEnds() async throws {
        let releases = Counter()
        let witness = Witness { _ in releases.increment() }
        let responder = MemoryPressureResponder(source: source) { [witness] _ in _ = witness.number }
        _ = consume witness
        #expect(releases.value == 0)
        source.continuation.finish()
        try await waitUntil { releases.value == 1 }
        responder.cancel()
    }

    @Test func actionMayCancelItsOwnResponder() async throws {
        let holder = Shared<MemoryPressureResponder?>(nil)
        let count = Counter()
        let responder = MemoryPressureResponder(source: source) { _ in
            count.increment()
            holder.value?.cancel()
        }
        holder.update { $0 = responder }
        source.continuation.yield(.critical)
        try await source.terminated()
        source.continuation.yield(.critical)
        #expect(count.value == 1)
        holder.update { $0 = nil }
    }

    @Test func responderFollowsAPollingSource() async throws {
        let polling = ManualPolling()
        let level = Shared(MemoryPressure.critical)
        let source = PollingMemoryPressure(interval: .seconds(1), currentLevel: { level.value }, sleep: polling.sleep)
        let responder = MemoryPressureResponder(source: source) { [calls] level in calls.update { $0.append(level) } }
        try await waitUntil { calls.value == [.critical] }
        polling.step()
        try await waitUntil { calls.value == [.critical, .critical] }
        level.update { $0 = .normal }
        polling.step()
        try await waitUntil { calls.value == [.critical, .critical, .normal] }
        responder.cancel()
        try await polling.ended()
    }
}
