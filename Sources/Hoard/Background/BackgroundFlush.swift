// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Dispatch)
    internal import Dispatch
    internal import Synchronization

    /// Runs a flush whenever the app leaves the foreground, for as long as the object lives.
    ///
    /// On iOS, tvOS, watchOS and visionOS:
    ///
    /// ```swift
    /// let flush = BackgroundFlush { await cache.flush() }
    /// ```
    ///
    /// The system suspends an app seconds after it has left the foreground, and may end it then without a word. While the flush runs, the system is
    /// asked to let the app run on
    /// ([performExpiringActivity](https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:))); when
    /// it wants the app to stop, the flush's task is cancelled. A flush that does not finish loses only the values not written yet: the stores
    /// survive being killed at any moment.
    public final class BackgroundFlush: Sendable {
        private let observation: any Sendable

        /// - Parameter background: Tells when the app leaves the foreground.
        package init(background: some AppBackground, flush: @escaping @Sendable () async -> Void) {
            observation = background.observeDepartures {
                let run = FlushRun()
                background.performExpiringActivity(reason: "Hoard writes down what waits to be written.") { hasExpired in
                    if hasExpired { run.end() } else { run.perform(flush) }
                }
            }
        }
    }

    /// The part of the system that ``BackgroundFlush`` needs.
    package protocol AppBackground: Sendable {
        /// Calls `action` whenever the app has left the foreground, until the returned object is released.
        func observeDepartures(_ action: @escaping @Sendable () -> Void) -> any Sendable

        /// Calls `activity` with `false` on a thread of its own, and lets the app run until it returns. If that takes too long, calls it once more, with `true`, on another thread; only
        /// with `true` if there is no time at all.
        func performExpiringActivity(reason: String, _ activity: @escaping @Sendable (_ hasExpired: Bool) -> Void)
    }

    /// One flush, for which a thread waits.
    private final class FlushRun: Sendable {
        private struct State {
            var task: Task<Void, Never>?
            var hasEnded = false
        }

        private let state = Mutex(State())
        private let ended = DispatchSemaphore(value: 0)

        /// Returns when the flush is done, or its time is over.
        func perform(_ flush: @escaping @Sendable () async -> Void) {
            let begins = state.withLock { state in
                guard !state.hasEnded else { return false }
                state.task = Task { [ended] in
                    await flush()
                    ended.signal()
                }
                return true
            }
            if begins { ended.wait() }
        }

        func end() {
            let task = state.withLock { state in
                state.hasEnded = true
                return state.task
            }
            task?.cancel()
            ended.signal()
        }
    }
#endif
