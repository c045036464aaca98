// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// The place where a task that may call a handler waits for requests, and where others leave them.
final class HandlerDesk: Sendable {
    struct Job: Sendable {
        let request: Request
        fileprivate let outcome: CheckedContinuation<HandlerOutcome, Never>

        /// Called exactly once for each job that has been taken.
        func finish(_ outcome: HandlerOutcome) { self.outcome.resume(returning: outcome) }
    }

    private struct State {
        var isClosed = false
        var jobs = CircularBuffer<Job>(initialCapacity: 1)
        var worker: CheckedContinuation<Job?, Never>?
    }

    private let state = Mutex(State())

    /// Has a request handled. Suspends until that is done; does not react to cancellation.
    ///
    /// - Returns: ``HandlerOutcome/cancelled`` if the desk has been closed.
    func run(_ request: Request) async -> HandlerOutcome {
        await withCheckedContinuation { continuation in
            let job = Job(request: request, outcome: continuation)
            let (isClosed, worker) = state.withLock { state -> (Bool, CheckedContinuation<Job?, Never>?) in
                if state.isClosed { return (true, nil) }
                if let worker = state.worker.take() { return (false, worker) }
                state.jobs.append(job)
                return (false, nil)
            }
            if isClosed { continuation.resume(returning: .cancelled) }
            worker?.resume(returning: job)
        }
    }

    /// The next request to be handled. For one task at a time.
    ///
    /// - Returns: `nil` when the desk has been closed.
    func next() async -> Job? {
        await withCheckedContinuation { continuation in
            let job = state.withLock { state -> Job?? in
                if let job = state.jobs.popFirst() { return .some(job) }
                if state.isClosed { return .some(nil) }
                state.worker = continuation
                return nil
            }
            if let job { continuation.resume(returning: job) }
        }
    }

    /// Nothing more is handled.
    func close() {
        let (jobs, worker) = state.withLock { state in
            state.isClosed = true
            defer { state.jobs.removeAll() }
            return (state.jobs, state.worker.take())
        }
        for job in jobs { job.finish(.cancelled) }
        worker?.resume(returning: nil)
    }
}
