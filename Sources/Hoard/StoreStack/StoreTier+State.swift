// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension StoreTier {
    /// Everything about a store that changes. A state machine: its methods are told what happens, and make no calls to the outside.
    struct State: Sendable {
        var breaker: CircuitBreaker
        var journal: InvalidationJournal
        var queues = ChangeQueues()
        var recovery = Recovery()
        /// Keys of changes that are being passed by, and how many changes.
        var undecided: [RecordKey: Int] = [:]
        var failures = 0
        var isClosing = false
        var isClosed = false
        /// Whether the last read has taken so long that none is made on a caller's thread.
        var answersSlowly = false
        /// The longest time that a read may take on a caller's thread, in nanoseconds, before the next ones have a deadline.
        let longestImmediateRead: Int64

        /// Changes that the store has been asked for and has not answered.
        private(set) var calls: [UInt64: Call] = [:]
        private var lastNumber: UInt64 = 0
        private var timeouts = 0
        /// The hardest operation that has failed, until one as hard has succeeded. While there is one, the store is failing.
        private var failingOperation: CacheStoreCall.Operation?
        private var events: [TieredCacheEvent] = []
        private let storeName: String

        init(storeName: String, configuration: StoreStack.Configuration) {
            self.storeName = storeName
            breaker = CircuitBreaker(
                failuresToOpen: configuration.failuresToOpen,
                openFor: configuration.openFor.saturatingNanoseconds,
                maximumOpenFor: configuration.maximumOpenFor.saturatingNanoseconds
            )
            journal = InvalidationJournal(maximumCount: configuration.maximumJournalCount)
            longestImmediateRead = configuration.deadline.map { $0.saturatingNanoseconds / 4 } ?? .max
            recovery.retryAfter = configuration.retryAfter.saturatingNanoseconds
        }
    }

    /// A change that the store has been asked for.
    struct Call: Sendable {
        let call: CacheStoreCall
        let permit: CircuitBreaker.Permit
        /// The number of the change it belongs to.
        let change: UInt64
        let start: Int64
        /// Whether it changes records by tag, by partition, or all.
        let isSweep: Bool
        var isOverdue = false
    }
}

extension StoreTier.State {
    /// The next number in the order of changes.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func takeEvents() -> [TieredCacheEvent] {
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    var health: StoreHealth {
        var health = StoreHealth(store: storeName)
        switch breaker.state {
        case .closed(let failures): health.consecutiveFailures = failures
        case .open: health.circuit = .open
        case .halfOpen: health.circuit = .halfOpen
        }
        health.failures = failures
        health.timeouts = timeouts
        health.pendingInvalidations = journal.count
        health.isInvalid = journal.coversEverything
        health.overdueCalls = calls.values.count { $0.isOverdue }
        return health
    }

    // MARK: Missed changes

    /// A change of a key was not made, or it is unknown whether it was.
    mutating func missed(_ key: RecordKey, by number: UInt64) {
        queues.invalidate(key, by: number)
        remember(key, by: number)
    }

    /// Puts a key into the journal.
    mutating func remember(_ key: RecordKey, by number: UInt64) {
        if journal.add(key, number: number) { overflowed() }
    }

    mutating func missed(_ extent: StoreSweep.Extent, by number: UInt64) {
        switch extent {
        case .everything: journal.addEverything(number: number)
        case .tags(let tags): if journal.add(tags: tags, number: number) { overflowed() }
        case .partition(let partition): if journal.add(partition: partition, number: number) { overflowed() }
        }
    }

    /// Notes that the records that changes older than `number` write have to be removed again, if they are in the extent that is being removed or
    /// marked.
    mutating func invalidateWrites(_ extent: StoreSweep.Extent, by number: UInt64) {
        switch extent {
        case .tags(let tags): queues.invalidate(taggedWithAny: tags, by: number)
        case .partition(let partition): queues.invalidate(inPartition: partition, by: number)
        case .everything: queues.invalidate(taggedWithAny: nil, by: number)
        }
    }

    private mutating func overflowed() {
        report(
            .journalOverflowed,
            "The \(storeName) store has missed more invalidations than are remembered; nothing is read from it until it has been emptied."
        )
    }

    // MARK: Calls

    mutating func begin(
        _ call: CacheStoreCall,
        permit: CircuitBreaker.Permit,
        change: UInt64,
        isSweep: Bool = false,
        at now: Int64
    ) -> UInt64 {
        let id = nextNumber()
        calls[id] = StoreTier.Call(call: call, permit: permit, change: change, start: now, isSweep: isSweep)
        return id
    }

    /// Whether a change by tag, by partition or of everything may still be made, by a call that has been given up too. O(calls under way).
    var isSweepUnderWay: Bool { calls.values.contains { $0.isSweep } }

    /// The store has answered.
    ///
    /// - Returns: The call, unless it has been given up before.
    mutating func end(_ id: UInt64, error: StoreError?, at now: Int64) -> StoreTier.Call? {
        guard let call = calls.removeValue(forKey: id), !call.isOverdue else { return nil }
        if let error {
            failed(call.call.operation, error, permit: call.permit, at: now)
        } else {
            succeeded(call.call.operation, permit: call.permit)
        }
        return call
    }

    /// The caller of a change waits no longer.
    ///
    /// - Returns: The calls that are given up.
    mutating func giveUpCalls(ofChange change: UInt64, at now: Int64) -> [StoreTier.Call] {
        var givenUp: [StoreTier.Call] = []
        for (id, call) in calls where call.change == change && !call.isOverdue {
            calls[id]?.isOverdue = true
            timedOut(call.call.operation, permit: call.permit, at: now)
            givenUp.append(call)
        }
        return givenUp
    }

    // MARK: Success and failure

    mutating func succeeded(_ operation: CacheStoreCall.Operation, permit: CircuitBreaker.Permit) {
        if let failing = failingOperation, operation.hardness >= failing.hardness {
            failingOperation = nil
            report(.storeRecovered, "The \(storeName) store works again.")
        }
        if breaker.succeeded(permit) != nil {
            report(.circuitClosed, "The \(storeName) store has answered and is used again.")
            recovery.isUrgent = !journal.isEmpty
        }
    }

    mutating func failed(_ operation: CacheStoreCall.Operation, _ error: StoreError, permit: CircuitBreaker.Permit, at now: Int64) {
        failed(operation, "failed to \(operation) and is passed by: \(error.message)", error, permit: permit, at: now)
    }

    mutating func timedOut(_ operation: CacheStoreCall.Operation, permit: CircuitBreaker.Permit, at now: Int64) {
        timeouts += 1
        failed(operation, "did not \(operation) in time and is passed by.", nil, permit: permit, at: now)
    }

    private mutating func failed(
        _ operation: CacheStoreCall.Operation,
        _ complaint: String,
        _ error: StoreError?,
        permit: CircuitBreaker.Permit,
        at now: Int64
    ) {
        failures += 1
        if let failing = failingOperation {
            if operation.hardness > failing.hardness { failingOperation = operation }
        } else {
            failingOperation = operation
            report(.storeFailed, "The \(storeName) store \(complaint)", error)
        }
        if case .opened(let nanoseconds)? = breaker.failed(permit, at: now) {
            report(.circuitOpened, "The \(storeName) store fails again and again; it is left alone for \(Duration.nanoseconds(nanoseconds)).", error)
        }
    }

    private mutating func report(_ kind: TieredCacheEvent.Kind, _ description: String, _ error: StoreError? = nil) {
        events.append(TieredCacheEvent(kind: kind, store: storeName, description: description, underlyingError: error))
    }
}

extension CacheStoreCall.Operation {
    /// How much a store needs for it: one whose disk is full can still read and remove, one that can write can do all.
    fileprivate var hardness: Int {
        switch self {
        case .read: 0
        case .remove: 1
        default: 2
        }
    }
}
