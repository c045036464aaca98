// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a ``SeededExecutor`` has given up a run.
public struct SeededExecutorError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// No job was ready, no task slept, and the body had not ended.
        public static var deadlock: Self { Self(description: #function) }
        /// The run needed more jobs than it was allowed.
        public static var livelock: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// The seed that leads here again.
    public let seed: UInt64
    /// A description of the failure, and of possible remedies.
    public let message: String

    public var description: String { message }

    static func deadlock(seed: UInt64, jobCount: Int) -> Self {
        Self(
            code: .deadlock,
            seed: seed,
            message: """
                Everything waits for everything (seed \(seed)): after \(jobCount) jobs none is ready, nobody sleeps on the executor's ticker, and the \
                body has not ended. If it waits for something that runs elsewhere, such as the main actor or a Task { }, start that with \
                SeededExecutor.task, or give the executor patience.
                """
        )
    }

    static func livelock(seed: UInt64, jobCount: Int) -> Self {
        Self(
            code: .livelock,
            seed: seed,
            message: """
                The run has not come to rest (seed \(seed)) after \(jobCount) jobs. Something may poll or retry without end; \
                otherwise raise maximumJobCount.
                """
        )
    }
}
