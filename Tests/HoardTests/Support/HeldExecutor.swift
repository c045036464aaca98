// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// An executor whose tasks do not begin until they are released.
final class HeldExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "hoard.held-executor", attributes: .initiallyInactive)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Must be called, at least once, before the executor ends.
    func release() { queue.activate() }
}
