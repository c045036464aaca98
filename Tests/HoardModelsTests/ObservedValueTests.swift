// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardModels
import HoardTesting
import Observation
import Testing

@MainActor @Suite("ObservedValue", .timeLimit(.minutes(5)))
struct ObservedValueTests {
    private let fixture = ModelFixture()

    private func model(_ key: String = "a", refresh: RefreshPolicy = .never) -> ObservedValue<String, Int> {
        ObservedValue(fixture.cache, forKey: key, refresh: refresh, ticker: fixture.time, load: fixture.load)
    }

    @Test func whatMemoryHasIsThereBeforeAnythingRuns() async throws {
        await fixture.cache.insert(1, forKey: "a")
        let model = model()
        #expect(model.value == 1)
        #expect(!model.isLoading)
        #expect(fixture.loads.isEmpty)
    }

    @Test func aModelThatNobodyShowsLoadsNothing() async throws {
        let model = model()
        await Task.yield()
        #expect(model.value == nil)
        #expect(!model.isLoading)
        #expect(fixture.loads.isEmpty)
    }

    @Test func whatIsMissingIsLoadedAndFollowed() async throws {
        fixture.set(1, forKey: "a")
        let gate = Gate()
        fixture.gate.update { $0 = gate }
        let model = model()
        model.start()
        defer { model.stop() }
        try await fixture.until { model.isLoading }
        #expect(model.value == nil)
        gate.open()
        try await fixture.until { model.value == 1 }
        #expect(!model.isLoading)
        await fixture.cache.insert(2, forKey: "a")
        try await fixture.until { model.value == 2 }
        #expect(fixture.loads == ["a"])
    }

    @Test func viewsAreToldOfChanges() async throws {
        let model = model()
        let wasTold = Shared(false)
        withObservationTracking {
            _ = model.value
        } onChange: {
            wasTold.update { $0 = true }
        }
        model.start()
        await fixture.cache.insert(2, forKey: "a")
        try await fixture.until { wasTold.value }
        model.stop()
    }

    @Test func nothingIsFollowedAfterTheLastHasStopped() async throws {
        await fixture.cache.insert(1, forKey: "a")
        let model = model()
        model.start()
        model.start()
        model.stop()
        await fixture.cache.insert(2, forKey: "a")
        try await fixture.until { model.value == 2 }
        model.stop()
        model.stop()
        fixture.set(9, forKey: "b")
        // A second model starts after this. When it has its value, time has passed.
        let other = self.model("b")
        await fixture.cache.insert(3, forKey: "a")
        other.start()
        try await fixture.until { other.value == 9 }
        other.stop()
        #expect(model.value == 2)
    }

    @Test func runFollowsUntilItsTaskIsCancelled() async throws {
        fixture.set(1, forKey: "a")
        let model = model()
        let task = Task { await model.run() }
        try await fixture.until { model.value == 1 }
        task.cancel()
        await task.value
        #expect(!model.isLoading)
    }

    @Test func aModelThatIsLetGoOfEndsWhatItHasBegun() async throws {
        let gate = Gate()
        fixture.gate.update { $0 = gate }
        var model: ObservedValue? = self.model()
        weak let released = model
        model?.start()
        try await fixture.until { !fixture.loads.isEmpty }
        model = nil
        try await fixture.until { released == nil }
        gate.open()
    }

    @Test func nothingIsLoadingAfterTheCacheIsClosed() async throws {
        let gate = Gate()
        fixture.gate.update { $0 = gate }
        let model = model()
        model.start()
        defer { model.stop() }
        try await fixture.until { model.isLoading && !fixture.loads.isEmpty }
        await fixture.cache.close()
        try await fixture.until { !model.isLoading }
        gate.open()
    }

    @Test func aFailureLeavesTheValueAndIsShown() async throws {
        fixture.set(1, forKey: "a")
        let model = model()
        model.start()
        defer { model.stop() }
        try await fixture.until { model.value == 1 }
        fixture.setAway(true)
        #expect(await !model.refresh())
        #expect(model.value == 1)
        #expect(model.error is ModelFixture.Unreachable)
        fixture.setAway(false)
        fixture.set(2, forKey: "a")
        #expect(await model.refresh())
        try await fixture.until { model.value == 2 }
        #expect(model.error == nil)
        #expect(!model.isRefreshing)
    }

    @Test func aRefreshWithoutAFollowerShowsItsValue() async throws {
        fixture.set(1, forKey: "a")
        let model = model()
        #expect(await model.refresh())
        #expect(model.value == 1)
    }

    @Test(arguments: [AppEvent.foreground, .reconnection])
    func eventsRefreshWhatIsOldEnough(event: AppEvent) async throws {
        let (stream, events) = AsyncStream.makeStream(of: AppEvent.self)
        var refresh = RefreshPolicy()
        refresh.events = AppEvents { stream }
        refresh.minimumAge = .seconds(10)
        fixture.set(1, forKey: "a")
        let model = model(refresh: refresh)
        model.start()
        defer { model.stop() }
        try await fixture.until { model.value == 1 }
        fixture.set(2, forKey: "a")
        events.yield(event)
        // The value is too young for this event, and old enough for the next one.
        fixture.time.advance(by: .seconds(10))
        events.yield(event)
        try await fixture.until { model.value == 2 }
        #expect(fixture.loads.count == 2)
    }

    @Test func eventsRefreshWhatIsFromTheFuture() async throws {
        let (stream, events) = AsyncStream.makeStream(of: AppEvent.self)
        var refresh = RefreshPolicy()
        refresh.events = AppEvents { stream }
        fixture.set(1, forKey: "a")
        let model = model(refresh: refresh)
        model.start()
        defer { model.stop() }
        try await fixture.until { model.value == 1 }
        fixture.set(2, forKey: "a")
        fixture.time.setWallClock(to: fixture.time.now().addingTimeInterval(-86_400))
        events.yield(.foreground)
        try await fixture.until { model.value == 2 }
    }

    @Test func eventsThatAreNotWantedDoNothing() async throws {
        let (stream, events) = AsyncStream.makeStream(of: AppEvent.self)
        var refresh = RefreshPolicy()
        refresh.events = AppEvents { stream }
        refresh.minimumAge = .zero
        refresh.onReconnection = false
        fixture.set(1, forKey: "a")
        let model = model(refresh: refresh)
        model.start()
        defer { model.stop() }
        try await fixture.until { model.value == 1 }
        events.yield(.reconnection)
        events.yield(.foreground)
        try await fixture.until { fixture.loads.count == 2 }
        events.yield(.reconnection)
        await Task.yield()
        #expect(fixture.loads.count == 2)
    }

    @Test func anIntervalRefreshesAgainAndAgain() async throws {
        var refresh = RefreshPolicy.never
        refresh.interval = .seconds(5)
        fixture.set(1, forKey: "a")
        let model = model(refresh: refresh)
        model.start()
        try await fixture.until { model.value == 1 }
        for round in 2...4 {
            fixture.set(round, forKey: "a")
            let loadCount = fixture.loads.count
            // The interval's task may not be asleep yet. If it takes long, the value expires and is loaded for that, too.
            try await fixture.until {
                if fixture.loads.count == loadCount { fixture.time.advance(by: .seconds(5)) }
                return model.value == round
            }
        }
        model.stop()
    }

    @Test(arguments: [Duration.zero, .seconds(-1)]) func noTimeIsNoInterval(_ interval: Duration) async throws {
        var refresh = RefreshPolicy.never
        refresh.interval = interval
        fixture.set(1, forKey: "a")
        let model = model(refresh: refresh)
        model.start()
        try await fixture.until { model.value == 1 }
        for _ in 0..<100 { await Task.yield() }
        #expect(fixture.loads.count == 1)
        model.stop()
    }
}
