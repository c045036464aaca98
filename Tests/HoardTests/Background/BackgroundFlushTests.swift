// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// An app that a test sends to the background.
private final class FakeApp: AppBackground {
    private struct State {
        var action: (@Sendable () -> Void)?
        var activity: (@Sendable (Bool) -> Void)?
        var hasTime = true
    }

    private final class Observation: Sendable {
        let app: FakeApp

        init(_ app: FakeApp) {
            self.app = app
        }

        deinit {
            app.state.withLock { $0.action = nil }
        }
    }

    private let state = Mutex(State())
    private let threads = DispatchQueue(label: "FakeApp", attributes: .concurrent)
    let returned = Counter()

    var isObserved: Bool { state.withLock { $0.action != nil } }

    func observeDepartures(_ action: @escaping @Sendable () -> Void) -> any Sendable {
        state.withLock { $0.action = action }
        return Observation(self)
    }

    func performExpiringActivity(reason _: String, _ activity: @escaping @Sendable (Bool) -> Void) {
        let hasTime = state.withLock { state in
            state.activity = activity
            return state.hasTime
        }
        threads.async { [returned] in
            activity(!hasTime)
            returned.increment()
        }
    }

    func leaveForeground(hasTime: Bool = true) {
        let action = state.withLock { state in
            state.hasTime = hasTime
            return state.action
        }
        action?()
    }

    func expire() {
        state.withLock { $0.activity }?(true)
    }
}

@Suite(.timeLimit(.minutes(5))) struct BackgroundFlushTests {
    private let app = FakeApp()
    private let flushes = Counter()

    @Test func appStaysAwakeUntilTheFlushIsDone() async throws {
        let gate = Gate()
        let flush = BackgroundFlush(background: app) { [flushes] in
            await gate.pass()
            flushes.increment()
        }
        app.leaveForeground()
        await gate.arrivals(1)
        #expect(app.returned.value == 0)
        gate.open()
        try await waitUntil { app.returned.value == 1 }
        #expect(flushes.value == 1)
        app.leaveForeground()
        try await waitUntil { app.returned.value == 2 }
        #expect(flushes.value == 2)
        withExtendedLifetime(flush) {}
    }

    @Test func flushIsCancelledWhenTheTimeIsOver() async throws {
        let began = Gate()
        let cancelled = Counter()
        let flush = BackgroundFlush(background: app) {
            await withTaskCancellationHandler {
                await began.pass()
            } onCancel: {
                cancelled.increment()
            }
        }
        app.leaveForeground()
        await began.arrivals(1)
        app.expire()
        try await waitUntil { app.returned.value == 1 }
        #expect(cancelled.value == 1)
        began.open()
        withExtendedLifetime(flush) {}
    }

    @Test func nothingIsBegunWithoutTime() async throws {
        let flush = BackgroundFlush(background: app) { [flushes] in flushes.increment() }
        app.leaveForeground(hasTime: false)
        try await waitUntil { app.returned.value == 1 }
        #expect(flushes.value == 0)
        withExtendedLifetime(flush) {}
    }

    @Test func observingEndsWithTheObject() {
        var flush: BackgroundFlush? = BackgroundFlush(background: app) { [flushes] in flushes.increment() }
        #expect(flush != nil && app.isObserved)
        flush = nil
        #expect(!app.isObserved)
    }
}
