// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

/// Runs the tasks of connections on their event loop, so that answering a request needs no other thread.
final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }

    /// Starts a task on the event loop. Exchanges with origins that begin in it go on there, too.
    @discardableResult
    func startTask(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        TaskPlacement.$requestExecutor.withValue(self) { Task(executorPreference: self, operation: operation) }
    }
}
