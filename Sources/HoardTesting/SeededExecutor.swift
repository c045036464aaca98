// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
public import Hoard
internal import Synchronization

/// Runs concurrent code one job at a time, in an order that its seed decides: the same seed gives the same interleaving.
///
/// A test of concurrent code that passes has seen the interleavings that happened to happen. With a seeded executor it can try thousands of
/// them, and repeat the one that failed.
///
/// ```swift
/// let time = ManualTicker()
/// let executor = SeededExecutor(seed: 42, time: time)
/// let users = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [], codec: .json, clock: time, ticker: time)
/// let loads = try await executor.run {
///     async let first = users.value(forKey: "a") { _ in
///         try await time.sleep(until: 3_600_000_000_000)   // an hour passes in no time
///         return 1
///     }
///     async let second = users.value(forKey: "a") { _ in 2 }
///     _ = try await (first, second)
///     return users.statistics.loads
/// }
/// #expect(loads == 1)
/// ```
///
/// Everything that `body` starts runs here: child tasks, tasks that Hoard starts by itself, actors that bring no
/// executor of their own. All jobs that are ready wait in one list, from which a ``SeededGenerator`` chooses.
/// Priorities are ignored.
///
/// These do not run here:
/// - Unstructured tasks. `Task { }` and `Task.detached { }` do not inherit the executor of their creator (SE-0417); use `SeededExecutor.task { }`
///   in the loaders and fakes of a test.
/// - The main actor, actors with an executor of their own, event loops and dispatch queues; hence also stores such as `DiskStore`.
/// - The system's timers. Let code sleep on the ``ManualTicker`` that it is given.
///
/// Code that waits for such things can be run all the same, with ``init(seed:time:patience:maximumJobCount:)``'s `patience`, but is no longer
/// repeatable.
///
/// **Virtual time.** When no job is ready and a task sleeps on `time`, time moves to the next deadline.
///
/// **Deadlocks.** When no job is ready, no task sleeps and the body has not ended, ``run(_:)`` throws ``SeededExecutorError`` instead of hanging.
///
/// Executors do not know of each other, and many can be used at once. A job costs about a microsecond beyond its own work.
public final class SeededExecutor: TaskExecutor, PreemptingExecutor {
    /// The seed that decides the order.
    public let seed: UInt64

    private let time: ManualTicker?
    private let patience: Duration
    private let maximumJobCount: Int
    /// Called before each job, outside of the lock, with its number in the run, from 1 on; with 0 outside of runs.
    private let onJob: (@Sendable (Int) -> Void)?
    private let state: Mutex<State>
    /// Tells the driver, if it waits for work from outside, that there is some.
    private let arrival = DispatchSemaphore(value: 0)

    /// Creates an executor.
    ///
    /// - Parameters:
    ///   - seed: Decides the order. Every seed is as good as any other.
    ///   - time: Moves on when everything waits for it. Its wall clock moves too.
    ///   - patience: How long, in real time, work from outside is waited for when no job is ready, before time is moved or a deadlock is
    ///     reported. Default: not at all.
    ///   - maximumJobCount: How many jobs a run may need. One that needs more, such as code that polls with `Task.yield()`, is cancelled, and ends
    ///     with an error. If it needs as many again after that, all that it has started is abandoned.
    public convenience init(seed: UInt64, time: ManualTicker? = nil, patience: Duration = .zero, maximumJobCount: Int = 1_000_000) {
        self.init(seed: seed, time: time, patience: patience, maximumJobCount: maximumJobCount, onJob: nil)
    }

    /// An executor of a test that does something at a certain point of a run.
    ///
    /// - Parameter onJob: Called before each job of a run, and each part of one that was stopped on its way, with its number, from 1 on. Nothing else
    ///   runs meanwhile.
    package init(
        seed: UInt64,
        time: ManualTicker?,
        patience: Duration = .zero,
        maximumJobCount: Int = 1_000_000,
        onJob: (@Sendable (Int) -> Void)?
    ) {
        precondition(patience >= .zero && maximumJobCount > 0, "patience must not be negative, and a run needs at least one job.")
        self.seed = seed
        self.time = time
        self.patience = patience
        self.maximumJobCount = maximumJobCount
        self.onJob = onJob
        self.state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    /// Runs `body` and all tasks that it starts, one job at a time. One call at a time; a later one goes on where the
    /// generator has stopped.
    ///
    /// Returns when the body has ended and no job is ready any more. Tasks that it has left behind go on whenever they become ready.
    ///
    /// - Throws: The error of `body`; ``SeededExecutorError`` if it can never end. Then the body's task is cancelled, and left alone if
    ///   that does not help: an executor with a run that goes on without end runs nothing more, and throws the same error at once. Cancelling the
    ///   caller cancels the body.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let outcome = SeededOutcome<Result>()
        if let abandonment = state.withLock({ $0.abandonment }) { throw abandonment }
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let number = state.withLock { state in
                    precondition(state.run == nil, "A SeededExecutor runs one body at a time. Create another one, or start child tasks in the body.")
                    state.runCount += 1
                    state.run = SeededRun(number: state.runCount, continuation: continuation)
                    return state.runCount
                }
                let task = TaskPlacement.$executor.withValue(self) {
                    Task(executorPreference: self) { [self] in
                        let ended: Swift.Result<Result, any Error>
                        do { ended = .success(try await body()) } catch { ended = .failure(error) }
                        outcome.result.withLock { $0 = ended }
                        bodyEnded(number)
                    }
                }
                let mustDrive = state.withLock { state in
                    state.run?.task = task
                    return state.startDriving()
                }
                if mustDrive { startDriver() }
                // A cancellation that came before the task was known found nothing to cancel.
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            state.withLock { $0.run?.task }?.cancel()
        }
        if let failure { throw failure }
        guard let result = outcome.result.withLock({ $0 }) else { preconditionFailure("A run ends with a result or a failure.") }
        return try result.get()
    }

    /// Puts a job into the list. Called by the Swift runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (mustDrive, mustTell) = state.withLock { state in
            state.ready.append(.job(job))
            defer { state.isWaitingForOutside = false }
            return (state.startDriving(), state.isWaitingForOutside)
        }
        if mustDrive { startDriver() }
        if mustTell { arrival.signal() }
    }

    /// Starts an unstructured task where a run's other work runs: on the seeded executor inside of ``run(_:)``, and like `Task { }` elsewhere.
    ///
    /// For loaders and fakes that start tasks: the executor is not inherited by `Task { }`.
    @discardableResult
    public static func task<Success: Sendable>(
        priority: TaskPriority? = nil,
        _ operation: sending @escaping @isolated(any) () async throws -> Success
    ) -> Task<Success, any Error> {
        startTask(priority: priority, operation)
    }

    /// ``task(priority:_:)`` for work that cannot fail.
    @discardableResult
    public static func task<Success: Sendable>(
        priority: TaskPriority? = nil,
        _ operation: sending @escaping @isolated(any) () async -> Success
    ) -> Task<Success, Never> {
        startTask(priority: priority, operation)
    }
}

// MARK: Stopping on the way

extension SeededExecutor {
    /// The most jobs that may be stopped on their way at the same time. Each occupies a thread.
    private static var maximumPausedCount: Int { 8 }

    /// Lets other jobs go first, if the seed says so, as a thread of the system may be stopped anywhere. The caller must hold no lock.
    package func mayPreempt() {
        let paused = state.withLock { state -> DispatchSemaphore? in
            guard state.driver == .current, !state.ready.isEmpty, state.pausedCount < Self.maximumPausedCount else { return nil }
            guard Int.random(in: 0..<4, using: &state.generator) == 0 else { return nil }
            let paused = DispatchSemaphore(value: 0)
            state.ready.append(.paused(paused))
            state.pausedCount += 1
            state.driver = nil
            return paused
        }
        guard let paused else { return }
        startDriver()
        paused.wait()
        state.withLock { $0.driver = .current }
    }
}

// MARK: Driving

extension SeededExecutor {
    private struct State: Sendable {
        var generator: SeededGenerator
        var ready: [Ready] = []
        /// Whether a thread runs jobs now. It alone takes them from the list.
        var isDriven = false
        /// The thread that runs jobs now.
        var driver: ThreadIdentity?
        /// The number of jobs that have been stopped on their way.
        var pausedCount = 0
        var isWaitingForOutside = false
        /// A run that never came to rest has left jobs that may not be run any more.
        var abandonment: SeededExecutorError?
        var run: SeededRun?
        var runCount = 0

        /// Returns whether a thread must be started to run jobs.
        mutating func startDriving() -> Bool {
            guard !isDriven, abandonment == nil else { return false }
            isDriven = true
            return true
        }
    }

    /// Work that may go on.
    private enum Ready {
        case job(UnownedJob)
        /// A job that was stopped on its way, on a thread that waits for this.
        case paused(DispatchSemaphore)
    }

    private enum Step {
        case job(UnownedJob, number: Int)
        /// A job goes on that was stopped on its way. Its thread drives from now on.
        case resume(DispatchSemaphore, number: Int)
        case stop
        /// The run has come to its end.
        case finish(SeededRun)
        /// Nothing is ready, and the run has not ended.
        case idle
        /// The run has used up its jobs, and is asked to end.
        case cancel(Task<Void, Never>)
        /// Cancelling the run did not end it.
        case abandon(SeededRun, SeededExecutorError)
    }

    private func startDriver() {
        // A thread that runs jobs must not be running one already, which the caller's may be. A queue of its own gets a thread at once. The global queues
        // have as many as there are cores, and get another one only after a second or so if those are blocked, as a paused job's is.
        DispatchQueue(label: "Hoard.SeededExecutor").async { self.drive() }
    }

    private func drive() {
        state.withLock { $0.driver = .current }
        while true {
            switch state.withLock({ nextStep(&$0) }) {
            case .job(let job, let number):
                onJob?(number)
                job.runSynchronously(on: asUnownedTaskExecutor())
            case .resume(let paused, let number):
                onJob?(number)
                paused.signal()
                return
            case .stop: return
            case .finish(let run): run.continuation.resume(returning: run.failure)
            case .idle: becomeIdle()
            case .cancel(let task): task.cancel()
            case .abandon(let run, let failure): return run.continuation.resume(returning: failure)
            }
        }
    }

    private func bodyEnded(_ number: Int) {
        state.withLock { state in
            // The body of a run that was given up may end in a later one.
            if state.run?.number == number { state.run?.hasEnded = true }
        }
    }

    private func nextStep(_ state: inout State) -> Step {
        if let run = state.run {
            // The thread that starts the run is about to store its task, and starts a driver then. Until that is done, nothing could cancel the run.
            guard let task = run.task else {
                state.isDriven = false
                return .stop
            }
            if run.jobCount >= maximumJobCount {
                // Cancelled, it has as many jobs again in which to end.
                guard let failure = run.failure else {
                    state.run?.failure = .livelock(seed: seed, jobCount: run.jobCount)
                    return .cancel(task)
                }
                if run.jobCount / 2 >= maximumJobCount {
                    state.run = nil
                    state.abandonment = failure
                    return .abandon(run, failure)
                }
            }
        }
        if !state.ready.isEmpty {
            state.run?.jobCount += 1
            let number = state.run?.jobCount ?? 0
            let last = state.ready.count - 1
            if last > 0 { state.ready.swapAt(Int.random(in: 0...last, using: &state.generator), last) }
            switch state.ready.removeLast() {
            case .job(let job):
                return .job(job, number: number)
            case .paused(let paused):
                state.pausedCount -= 1
                return .resume(paused, number: number)
            }
        }
        guard let run = state.run else {
            state.isDriven = false
            return .stop
        }
        guard run.hasEnded || run.failure != nil else { return .idle }
        state.run = nil
        return .finish(run)
    }

    /// Waits for work from outside, or moves time, or gives up.
    private func becomeIdle() {
        if patience > .zero, arrivesInTime() { return }
        if let time, time.advanceToNextDeadline() { return }
        let stuck = state.withLock { state -> Task<Void, Never>? in
            // A job that has arrived after all is run first.
            guard state.ready.isEmpty, let run = state.run else { return nil }
            state.run?.failure = .deadlock(seed: seed, jobCount: run.jobCount)
            return run.task
        }
        stuck?.cancel()
    }

    private func arrivesInTime() -> Bool {
        let mustWait = state.withLock { state in
            state.isWaitingForOutside = state.ready.isEmpty
            return state.isWaitingForOutside
        }
        guard mustWait else { return true }
        if arrival.wait(timeout: .now() + .nanoseconds(Int(clamping: patience.saturatingNanoseconds))) == .success { return true }
        let isStillAwaited = state.withLock { state in
            defer { state.isWaitingForOutside = false }
            return state.isWaitingForOutside
        }
        // A thread that added a job just now has signalled or is about to.
        if !isStillAwaited { arrival.wait() }
        return !isStillAwaited
    }
}

/// A body that is being run.
private struct SeededRun: Sendable {
    let number: Int
    let continuation: CheckedContinuation<SeededExecutorError?, Never>
    var task: Task<Void, Never>?
    var hasEnded = false
    var failure: SeededExecutorError?
    var jobCount = 0

    init(number: Int, continuation: CheckedContinuation<SeededExecutorError?, Never>) {
        self.number = number
        self.continuation = continuation
    }
}

/// The outcome of a body.
private final class SeededOutcome<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
}
