// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
package import NIOCore

/// Runs tasks on the thread of an event loop, so that work for which connections wait needs no other thread.
package final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }

    /// Starts a task on the event loop. Exchanges with origins that begin in it go on there, too.
    @discardableResult
    package func startTask(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        TaskPlacement.$requestExecutor.withValue(self) { Task(executorPreference: self, operation: operation) }
    }
}
