// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Runs at most one load for each key at a time; callers that come meanwhile wait for its result.
///
/// Each caller can be cancelled by itself and then gets `CancellationError` at once. The load runs in a task
/// of its own, which is cancelled when its last caller has left. A load that asks for its own key,
/// directly or through other loads, gets ``CacheError/Code/recursiveLoad`` instead of waiting for itself.
package final class SingleFlight<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    private typealias Machine = SingleFlightStateMachine<Key, CheckedContinuation<Output, any Error>>

    private let machine = Mutex(Machine())
    private let lastWaiterID = Atomic<UInt64>(0)

    package init() {}

    /// Joins the load of `key`, or starts it.
    ///
    /// - Parameters:
    ///   - existing: Asked once before a load is started, under this object's lock: a value that has
    ///     appeared since the caller last looked is returned and nothing is loaded. Must be quick and must not call back.
    ///   - load: Does the work, if this caller is the first.
    /// - Returns: The result, and whether it is that of a load somebody else had started.
    /// - Throws: What `load` throws, `CancellationError` when the caller is cancelled, or `recursiveLoad`.
    package func run(
        _ key: Key,
        existing: () -> Output? = { nil },
        load: @escaping @Sendable () async throws -> Output
    ) async throws -> (output: Output, isCoalesced: Bool) {
        if LoadChain.current?.contains(key, in: ObjectIdentifier(self)) ?? false {
            throw CacheError(.recursiveLoad, "A loader asked the cache for the very key that it is loading.")
        }
        try Task.checkCancellation()
        let waiterID = lastWaiterID.wrappingAdd(1, ordering: .relaxed).newValue
        var isCoalesced = false
        let output: Output = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: (existing: Output?, action: Machine.JoinAction?) = machine.withLock { machine in
                    if machine.waiterCount(for: key) == 0, let output = existing() { return (output, nil) }
                    return (nil, machine.join(key, waiterID: waiterID, waiter: continuation))
                }
                if let output = outcome.existing { return continuation.resume(returning: output) }
                switch outcome.action {
                case .startLoad(let flight): start(flight, key: key, load: load)
                case .wait, nil: isCoalesced = true
                }
                // A cancellation that came before the waiter was registered found nobody to wake.
                if Task.isCancelled { leave(waiterID) }
            }
        } onCancel: {
            leave(waiterID)
        }
        return (output, isCoalesced)
    }

    /// Makes later callers start a load of their own instead of joining the one under way.
    package func detach(_ key: Key) {
        machine.withLock { $0.detach(key) }
    }

    /// ``detach(_:)`` for every key.
    package func detachAll() {
        machine.withLock { $0.detachAll() }
    }

    /// The number of callers waiting for the load of `key` that a new caller would join. For tests that hold the door.
    package func waiterCount(for key: Key) -> Int {
        machine.withLock { $0.waiterCount(for: key) }
    }

    private func start(_ flight: Machine.FlightID, key: Key, load: @escaping @Sendable () async throws -> Output) {
        let chain = LoadChain(key: key, owner: ObjectIdentifier(self), parent: LoadChain.current)
        let task = Task {
            let result: Result<Output, any Error>
            do {
                result = .success(try await LoadChain.$current.withValue(chain) { try await load() })
            } catch {
                result = .failure(error)
            }
            for waiter in machine.withLock({ $0.loadFinished(flight) }) {
                waiter.resume(with: result)
            }
        }
        switch machine.withLock({ $0.loadStarted(flight, cancelLoad: { task.cancel() }) }) {
        case .cancelLoad: task.cancel()
        case .none: break
        }
    }

    private func leave(_ waiterID: UInt64) {
        switch machine.withLock({ $0.leave(waiterID: waiterID) }) {
        case .none:
            break
        case .resume(let waiter, let cancelLoad):
            cancelLoad?()
            waiter.resume(throwing: CancellationError())
        }
    }
}

/// The loads inside which the current task runs, innermost first.
private final class LoadChain: Sendable {
    @TaskLocal static var current: LoadChain?

    private let key: any Sendable
    private let owner: ObjectIdentifier
    private let parent: LoadChain?

    init(key: any Sendable, owner: ObjectIdentifier, parent: LoadChain?) {
        self.key = key
        self.owner = owner
        self.parent = parent
    }

    func contains<Key: Hashable>(_ key: Key, in owner: ObjectIdentifier) -> Bool {
        var link: LoadChain? = self
        while let chain = link {
            if chain.owner == owner, chain.key as? Key == key { return true }
            link = chain.parent
        }
        return false
    }
}
