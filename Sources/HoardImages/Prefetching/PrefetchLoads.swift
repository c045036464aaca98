// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The loads of an ``ImagePrefetcher``: those that wait, and the tasks of those under way, which may outlive it for a moment.
final class PrefetchLoads: Sendable {
    private struct State: Sendable {
        var queue = PrefetchQueue()
        /// By the tickets of their requests.
        var tasks: [Int: Task<Void, Never>] = [:]
        var isPaused = false
    }

    let request: @Sendable (String, ImageOptions) -> ImageRequest
    private let state: Mutex<State>
    private let maximumLoads: Int
    private let maximumWaiting: Int
    private let load: @Sendable (ImageRequest) async -> Void

    init(
        _ configuration: ImagePrefetcher.Configuration,
        load: @escaping @Sendable (ImageRequest) async -> Void,
        request: @escaping @Sendable (String, ImageOptions) -> ImageRequest
    ) {
        maximumLoads = max(1, configuration.maximumConcurrentLoads)
        maximumWaiting = max(1, configuration.maximumWaitingCount)
        self.load = load
        self.request = request
        state = Mutex(State())
    }

    var waitingCount: Int { state.withLock { $0.queue.waitingCount } }
    var loadingCount: Int { state.withLock { $0.tasks.count } }

    var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            state.withLock { state in
                state.isPaused = newValue
                begin(&state)
            }
        }
    }

    func start(_ requests: [ImageRequest], _ priority: TaskPriority) {
        state.withLock { state in
            for request in requests { state.queue.want(request, priority) }
            // After all of them: those that can begin at once do not wait.
            begin(&state)
            state.queue.dropOldest(keeping: maximumWaiting)
        }
    }

    func stop(_ requests: [ImageRequest]) {
        let cancelled = state.withLock { state in
            // The task keeps its place until it has ended.
            requests.compactMap { request in state.queue.unwant(request).flatMap { state.tasks[$0] } }
        }
        for task in cancelled { task.cancel() }
    }

    func stopAll() {
        let cancelled = state.withLock { state in
            state.queue = PrefetchQueue(after: state.queue)
            return Array(state.tasks.values)
        }
        for task in cancelled { task.cancel() }
    }

    private func begin(_ state: inout State) {
        while !state.isPaused, state.tasks.count < maximumLoads, let next = state.queue.takeNext() {
            state.tasks[next.ticket] = Task(priority: next.priority) { [self] in
                await load(next.request)
                end(next)
            }
        }
    }

    private func end(_ load: PrefetchQueue.Load) {
        state.withLock { state in
            state.tasks[load.ticket] = nil
            state.queue.end(load)
            begin(&state)
        }
    }
}
