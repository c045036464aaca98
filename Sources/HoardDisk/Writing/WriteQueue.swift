// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Hoard
import Synchronization

/// The one queue through which everything is written, in order.
///
/// Callers add operations. The writing thread takes all that have gathered while it was busy, and commits them as one transaction. The queue is
/// bounded in operations and bytes: callers beyond that wait for room.
final class WriteQueue: Sendable {
    struct Entry: Sendable {
        let operation: WriteOperation
        let order: UInt64
        /// Resumed when the operation is committed or has failed; `nil`: no caller waits.
        let completion: CheckedContinuation<Result<Void, StoreError>, Never>?
    }

    private struct State {
        var entries: [Entry] = []
        /// The number and bytes of the operations that have room: those waiting to be committed, or being committed.
        var count = 0
        var byteCount = 0
        var nextOrder: UInt64 = 1
        var staged = StagedWrites()
        /// Entries that wait for room, in order.
        var waiting: [(operation: WriteOperation, wantsRoom: CheckedContinuation<Bool, Never>)] = []
        var isRunning = false
        var isClosed = false
        /// Continuations of callers that wait for the operations before an order.
        var waiters: [(end: UInt64, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func reserve(_ operation: WriteOperation) {
            count += 1
            byteCount += operation.byteCount
        }
    }

    static let maximumBatchCount = 256
    static let maximumBatchByteCount = 8 << 20

    private let maximumCount: Int
    private let maximumByteCount: Int
    private let state = Mutex(State())
    /// Whether anything is staged, so that readings need no lock while nothing is.
    private let stagedCount = Atomic<Int>(0)
    private let thread = DispatchQueue(label: "Hoard.DiskStore.writer")
    private static let threadKey = DispatchSpecificKey<ObjectIdentifier>()

    init(maximumCount: Int, maximumByteCount: Int) {
        self.maximumCount = maximumCount
        self.maximumByteCount = maximumByteCount
        thread.setSpecific(key: Self.threadKey, value: ObjectIdentifier(self))
    }

    /// Whether the caller is on the writing thread.
    var isOnThread: Bool { DispatchQueue.getSpecific(key: Self.threadKey) == ObjectIdentifier(self) }

    /// Whether the database has everything that was accepted.
    var isQuiet: Bool { stagedCount.load(ordering: .acquiring) == 0 }

    /// Whether no operation waits or is under way.
    var isIdle: Bool { state.withLock { $0.count == 0 } }

    /// The number of callers that wait for operations. For tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }
}

extension WriteQueue {
    /// Adds an operation and waits until it is committed. Suspends; cancelling the task changes nothing. `nil`: the queue is closed.
    func commit(_ operation: WriteOperation, run: @escaping @Sendable () -> Void) async -> Result<Void, StoreError>? {
        guard await makeRoom(for: operation) else { return nil }
        return await withCheckedContinuation { completion in add(operation, completion: completion, run: run) }
    }

    /// Adds an operation and returns when there was room for it, before it is committed. `false`: the queue is closed.
    func stage(_ operation: WriteOperation, run: @escaping @Sendable () -> Void) async -> Bool {
        guard await makeRoom(for: operation) else { return false }
        add(operation, completion: nil, run: run)
        return true
    }

    /// Adds an operation that no caller waits for, without waiting for room.
    func enqueue(_ operation: WriteOperation, run: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if state.isClosed { return false }
            state.reserve(operation)
            return true
        }
        if isOpen { add(operation, completion: nil, isFollowUp: true, run: run) }
    }

    /// Reserves room. Waits behind callers that came before.
    private func makeRoom(for operation: WriteOperation) async -> Bool {
        enum Answer { case yes, closed, wait }
        let answer: Answer = state.withLock { state in
            if state.isClosed { return .closed }
            guard state.waiting.isEmpty, hasRoom(operation, state) else { return .wait }
            state.reserve(operation)
            return .yes
        }
        switch answer {
        case .yes: return true
        case .closed: return false
        case .wait: break
        }
        return await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.isClosed { return false }
                if state.waiting.isEmpty, hasRoom(operation, state) {
                    state.reserve(operation)
                    return true
                }
                state.waiting.append((operation, continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func hasRoom(_ operation: WriteOperation, _ state: borrowing State) -> Bool {
        // One operation has room always, however large it is.
        state.count == 0
            || (state.count < maximumCount && state.byteCount + operation.byteCount <= maximumByteCount)
    }

    private func add(
        _ operation: WriteOperation,
        completion: CheckedContinuation<Result<Void, StoreError>, Never>?,
        isFollowUp: Bool = false,
        run: @escaping @Sendable () -> Void
    ) {
        let mustRun = state.withLock { state in
            let entry = Entry(operation: operation, order: state.nextOrder, completion: completion)
            state.nextOrder += 1
            // It belongs to an operation before it, for which they wait.
            if isFollowUp { for index in state.waiters.indices { state.waiters[index].end = state.nextOrder } }
            state.entries.append(entry)
            state.staged.stage(operation, order: entry.order)
            if operation.stagesSomething { stagedCount.wrappingAdd(1, ordering: .releasing) }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustRun { thread.async(execute: run) }
    }
}

extension WriteQueue {
    /// Returns the uncommitted state that a reader of the key must find; `nil`: the state in the database.
    func stagedState(of key: RecordKey) -> StagedState? {
        if stagedCount.load(ordering: .acquiring) == 0 { return nil }
        return state.withLock { $0.staged.state(of: key) }
    }

    /// Whether a record that was read in the database is about to go with a tag or partition.
    func stagedRemovalIncludes(_ record: Record) -> Bool {
        if stagedCount.load(ordering: .acquiring) == 0 { return false }
        return state.withLock { $0.staged.removes(record) }
    }

    /// Takes the operations to commit next. Empty: there is nothing to do, and the thread may stop. Call on the writing
    /// thread.
    func takeBatch() -> [Entry] {
        let (batch, waiters) = state.withLock { state -> ([Entry], [CheckedContinuation<Void, Never>]) in
            // All operations before this one are done. Others may come as fast as they are committed, so nobody waits for an empty queue.
            let next = state.entries.first?.order ?? state.nextOrder
            let waiters = state.waiters.filter { $0.end <= next }.map(\.continuation)
            state.waiters.removeAll { $0.end <= next }
            if state.entries.isEmpty {
                state.isRunning = false
                return ([], waiters)
            }
            var count = 0
            var byteCount = 0
            for entry in state.entries {
                if count > 0 {
                    if entry.operation.isAlone || count == Self.maximumBatchCount { break }
                    if byteCount + entry.operation.byteCount > Self.maximumBatchByteCount { break }
                }
                count += 1
                byteCount += entry.operation.byteCount
                if entry.operation.isAlone { break }
            }
            let batch = Array(state.entries[..<count])
            state.entries.removeFirst(count)
            return (batch, waiters)
        }
        for waiter in waiters { waiter.resume() }
        return batch
    }

    /// Whether a later operation of the same batch replaces the record that an insertion writes.
    func isSuperseded(_ key: RecordKey, order: UInt64, in batch: [Entry]) -> Bool {
        guard let last = batch.last else { return false }
        return state.withLock { $0.staged.supersedes(key, order: order, upTo: last.order) }
    }

    /// The operations have been committed, or have failed: from now on the database alone has the truth about their keys.
    func finish(_ entries: [Entry]) {
        let admitted = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            for entry in entries {
                state.staged.unstage(entry.operation, order: entry.order)
                state.count -= 1
                state.byteCount -= entry.operation.byteCount
            }
            var admitted: [CheckedContinuation<Bool, Never>] = []
            while let first = state.waiting.first, hasRoom(first.operation, state) {
                state.reserve(first.operation)
                admitted.append(first.wantsRoom)
                state.waiting.removeFirst()
            }
            return admitted
        }
        stagedCount.wrappingSubtract(entries.count { $0.operation.stagesSomething }, ordering: .releasing)
        for continuation in admitted { continuation.resume(returning: true) }
    }

    /// Waits until everything that was accepted before is committed or has failed, and what has to follow it. Suspends.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.isRunning, state.entries.isEmpty { return true }
                state.waiters.append((state.nextOrder, continuation))
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Accepts nothing more. Callers that wait for room are turned away. Returns `false` if the queue was closed already.
    func refuseMore() -> Bool {
        let (wasOpen, waiting) = state.withLock { state in
            let wasOpen = !state.isClosed
            state.isClosed = true
            return (wasOpen, exchange(&state.waiting, with: []))
        }
        for entry in waiting { entry.wantsRoom.resume(returning: false) }
        return wasOpen
    }

    /// Runs `body` on the writing thread after its present work. Blocks, unless the caller is on it.
    func runBlocking(_ body: @Sendable () -> Void) {
        if isOnThread { body() } else { thread.sync(execute: body) }
    }
}
