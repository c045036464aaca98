// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The core of a ``DiskStore``. It lives on until the accepted writes are done, even if the store itself has been released.
final class DiskCore: Sendable {
    enum State {
        case open(DatabaseSession)
        /// The database could not be replaced after it was found to be damaged or gone. The next operation tries again.
        case broken
        case closed
    }

    let configuration: DiskStore.Configuration
    private let currentLimits: Mutex<(limits: RecordLimits, wanted: RecordLimits)>
    let opening: DatabaseOpening
    /// Held while a damaged database is replaced, so that all operations wait for the new one.
    let state: Mutex<State>
    let counters = DiskCounters()
    let queue: WriteQueue
    let lostWrites = LostWrites()
    let subscribers = InvalidationSubscribers()
    /// Where files are deleted, orphans are looked for and the index is loaded.
    let housekeeping = DispatchQueue(label: "Hoard.DiskStore.housekeeping", qos: .utility)

    private static let housekeepingKey = DispatchSpecificKey<ObjectIdentifier>()

    /// The work in the background that follows an opening, until it begins.
    private let followUp = Mutex<(@Sendable () -> Void)?>(nil)
    /// Whether that work begins with ``finishHousekeeping()`` only. For tests.
    private let delaysFollowUp: Bool
    /// The work of ``close()``, once it has been called.
    private let closing = Mutex<Task<Void, Never>?>(nil)

    init(configuration: DiskStore.Configuration, identifierOverride: RecordIdentifier?, delaysFollowUp: Bool = false) throws(StoreError) {
        self.configuration = configuration
        self.delaysFollowUp = delaysFollowUp
        currentLimits = Mutex((configuration.limits, configuration.limits))
        queue = WriteQueue(
            maximumCount: max(configuration.maximumQueuedWriteCount, 1),
            maximumByteCount: max(configuration.maximumQueuedWriteBytes, 1)
        )
        opening = try DatabaseOpening(configuration: configuration, identifierOverride: identifierOverride)
        let opened = try opening.open(at: configuration.clock.now())
        state = Mutex(.open(opened.session))
        housekeeping.setSpecific(key: Self.housekeepingKey, value: ObjectIdentifier(self))
        report(opened)
    }
}

extension DiskCore {
    /// How much the database may hold now.
    var limits: RecordLimits { currentLimits.withLock { $0.limits } }

    /// Begins a change of the limit on bytes, and ends one that is under way.
    ///
    /// - Returns: The limits that ``approachLimits(_:by:)`` is to reach.
    func wantMaximumBytes(_ maximumBytes: Int?) -> RecordLimits {
        currentLimits.withLock { current in
            current.wanted.maximumBytes = maximumBytes
            return current.wanted
        }
    }

    /// Puts limits in force on the way to others.
    ///
    /// - Returns: Whether these are still the wanted ones. If not, nothing has changed.
    func approachLimits(_ wanted: RecordLimits, by step: RecordLimits) -> Bool {
        currentLimits.withLock { current in
            guard current.wanted == wanted else { return false }
            current.limits = step
            return true
        }
    }
}

/// The way of operations to the database, and their recovery when it is damaged or gone.
extension DiskCore {
    /// The number of times that an operation starts over: once because it found damage, and once because another one replaced the database meanwhile.
    private static let maximumAttempts = 3

    /// The session to use now.
    func session() throws(StoreError) -> DatabaseSession {
        switch state.withLock({ $0 }) {
        case .open(let session): session
        case .closed: throw .closed(configuration.name)
        case .broken: try reopen(at: configuration.clock.now())
        }
    }

    /// The session to write to. Finds out whether its directory has been deleted or its database replaced by another process.
    func writableSession() throws(StoreError) -> DatabaseSession {
        let session = try session()
        guard configuration.createsIfMissing, !session.isInPlace else { return session }
        try replace(session, damaged: nil)
        return try self.session()
    }

    /// Runs one reading on the calling thread.
    func read<T>(_ body: (DatabaseSession) throws -> T) throws(StoreError) -> T {
        var attempt = 1
        while true {
            let session = try session()
            do {
                return try body(session)
            } catch {
                try recover(from: error, on: session, attempt: attempt)
                attempt += 1
            }
        }
    }

    /// Runs a long reading on another thread. Suspends.
    func readElsewhere<T: Sendable>(_ body: @escaping @Sendable (DatabaseSession) throws -> T) async throws(StoreError) -> T {
        let result: Result<T, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(StoreError) {
                    continuation.resume(returning: .success(try self.read(body)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Commits an operation. Suspends until it is done.
    func commit(_ operation: WriteOperation) async throws(StoreError) {
        guard let result = await queue.commit(operation, run: { self.drain() }) else { throw .closed(configuration.name) }
        try result.get()
    }

    /// Commits operations in one transaction. Suspends until it is done.
    func commit(together operations: [WriteOperation]) async throws(StoreError) {
        if operations.isEmpty {
            // Says if the store has been closed.
            _ = try session()
        } else {
            try await commit(operations.count == 1 ? operations[0] : .together(operations))
        }
    }

    /// Opens the database that could not be replaced before, unless another operation was faster.
    private func reopen(at now: Date) throws(StoreError) -> DatabaseSession {
        let (session, opened) = try state.withLock { (state) throws(StoreError) -> (DatabaseSession, DatabaseOpening.Opened?) in
            switch state {
            case .open(let session):
                return (session, nil)
            case .closed:
                throw .closed(configuration.name)
            case .broken:
                let opened = try opening.open(at: now)
                state = .open(opened.session)
                return (opened.session, opened)
            }
        }
        if let opened { report(opened) }
        return session
    }

    /// Returns if the operation should be tried again, and throws the error for its caller if not.
    func recover(from error: any Error, on failed: DatabaseSession, attempt: Int) throws(StoreError) {
        guard attempt < Self.maximumAttempts else { throw .database(error) }
        let isDamage = StoreError.isDamage(error)
        let isCurrent = state.withLock { state in if case .open(let current) = state { current === failed } else { false } }
        // Closed or replaced since the operation began: the next attempt knows which.
        guard isCurrent else { return }
        guard configuration.createsIfMissing, isDamage || !failed.isInPlace else { throw .database(error) }
        try replace(failed, damaged: isDamage ? failed.file : nil)
    }

    /// Puts a new session in the place of one whose database is damaged or gone.
    private func replace(_ failed: DatabaseSession, damaged: FileIdentity?) throws(StoreError) {
        let now = configuration.clock.now()
        let opened = try state.withLock { (state) throws(StoreError) -> DatabaseOpening.Opened? in
            guard case .open(let current) = state, current === failed else { return nil }
            // Processes that have the same generation file open ask the database from now on, though the file may have
            // been deleted and be another one soon.
            _ = failed.generation?.begin()
            // Waits for the readings under way; none of them takes this lock before it is done.
            failed.close()
            state = .broken
            let opened = try opening.open(replacing: damaged, at: now)
            state = .open(opened.session)
            return opened
        }
        if let opened {
            report(opened)
            // The records in the tiers above may differ from those in the new database.
            if damaged == nil { announce(.everything) }
        }
    }

    /// Counts and reports the steps of opening, and finishes it in the background. Call without holding a lock, since
    /// it runs the user's code.
    private func report(_ opened: DatabaseOpening.Opened) {
        if let path = opened.setAsidePath { configuration.onEvent?(.databaseSetAside(path: path)) }
        if let event = opened.protectionFailure { configuration.onEvent?(event) }
        let session = opened.session
        let held = try? session.readers.withReader { reader in try reader.read { db in try StoredTotals(db)?.totals } }
        let isSmall = (held?.count ?? .max) <= Self.indexedAtOnce
        if isSmall { try? session.loadIndex() }
        if opened.isOlder { queue.runBlocking { try? self.migrate(session) } }
        guard configuration.createsIfMissing else { return }
        let mustShrink = held.map { !limits.allow($0) } ?? true
        if mustShrink { queue.runBlocking { self.enforceLimits(session) } }
        let isLong = !isSmall || opened.isUnchecked
        followUp.withLock { followUp in
            followUp = { [weak self] in
                if !isSmall { try? session.loadIndex() }
                if opened.isUnchecked { self?.check(session) }
                self?.resumeSweeps(session)
                self?.sweepFiles(session)
            }
        }
        if delaysFollowUp { return }
        housekeeping.asyncAfter(deadline: .now() + (isLong ? Self.pauseForFirstReadings : .nanoseconds(0))) { [weak self] in self?.runFollowUp() }
    }

    /// Runs what follows an opening, unless that has begun already. Call on the queue of housekeeping.
    private func runFollowUp() {
        followUp.withLock { $0.take() }?()
    }

    /// Waits until what follows an opening has been done, and everything else that is to be done in the background. Blocks.
    func finishHousekeeping() {
        housekeeping.sync { self.runFollowUp() }
    }

    /// The time for which long work in the background waits after an opening. An app that starts reads what its first screen shows then, and on two
    /// cores, work beside it would make that a third slower.
    private static let pauseForFirstReadings = DispatchTimeInterval.milliseconds(100)

    /// The number of records up to which the index is filled before the store is used. In a larger store it is filled beside the first operations: an
    /// index of 10,000 records takes 4 to 6 ms.
    private static let indexedAtOnce = 4_096
}

/// Closing.
extension DiskCore {
    /// Finishes the accepted writes, writes the uses that are in memory, and closes the files. Suspends. All callers wait for the end.
    func close() async {
        let task = closing.withLock { task in
            if let task { return task }
            guard queue.refuseMore() else { return Task {} }
            let new = Task {
                await queue.waitUntilIdle()
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async {
                        self.closeNow()
                        continuation.resume()
                    }
                }
            }
            task = new
            return new
        }
        await task.value
    }

    /// The same for a store that was released. Blocks, unless it was released on one of its own threads, in the user's function for events.
    func closeBlocking() {
        guard queue.refuseMore() else { return }
        if queue.isOnThread || DispatchQueue.getSpecific(key: Self.housekeepingKey) == ObjectIdentifier(self) {
            DispatchQueue.global().async { self.closeNow() }
        } else {
            closeNow()
        }
    }

    private func closeNow() {
        // Work that has not begun by now would come after the end.
        followUp.withLock { $0 = nil }
        queue.runBlocking {
            self.drain()
            let session = self.state.withLock { state -> DatabaseSession? in
                defer { state = .closed }
                guard case .open(let session) = state else { return nil }
                return session
            }
            guard let session else { return }
            if session.memory.withLock({ !$0.index.uses.isEmpty }) { self.flushUses(to: session) }
            session.close()
        }
        housekeeping.sync {}
        subscribers.finish()
    }
}
