// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Holds tasks until a test lets them go, and tells the test when the first one has come.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var hasArrival = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func waitUntilOpen() async {
        await withCheckedContinuation { continuation in
            let (watchers, isOpen) = state.withLock { state in
                state.hasArrival = true
                if !state.isOpen { state.held.append(continuation) }
                defer { state.watchers = [] }
                return (state.watchers, state.isOpen)
            }
            for watcher in watchers { watcher.resume() }
            if isOpen { continuation.resume() }
        }
    }

    func waitForArrival() async {
        await withCheckedContinuation { continuation in
            let hasArrival = state.withLock { state in
                if !state.hasArrival { state.watchers.append(continuation) }
                return state.hasArrival
            }
            if hasArrival { continuation.resume() }
        }
    }

    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}
