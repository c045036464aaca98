// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Calling the store.
extension StoreTier {
    enum Answer<Success: Sendable>: Sendable {
        case success(Success)
        case failure(StoreError)
        case timedOut
    }

    /// The tick at which an operation that begins now has taken too long.
    func deadline(from now: Int64) -> Int64? {
        configuration.deadline.map { now.addingSaturated($0.saturatingNanoseconds) }
    }

    /// Calls the store, enclosed in the observer's scope for calls, unless it is no call that observers know.
    func perform<Success: Sendable>(
        _ call: CacheStoreCall?,
        _ body: @escaping @Sendable () async throws(StoreError) -> Success
    ) async -> Result<Success, StoreError> {
        let operation: @Sendable () async -> Result<Success, StoreError> = {
            do throws(StoreError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        guard let call else { return await operation() }
        return await observed(call, operation)
    }

    /// Runs an operation, enclosed in the observer's scope for calls.
    func observed<Result: Sendable>(_ call: CacheStoreCall, _ operation: @escaping @Sendable () async -> Result) async -> Result {
        guard let observer else { return await operation() }
        return await observer.withStoreCall(call, operation)
    }

    /// Calls the store and waits for it until the deadline. When the caller is cancelled, so is the call.
    ///
    /// - Parameters:
    ///   - call: `nil` for a call that observers do not know.
    ///   - spent: How much of the time until the deadline the store has had already, in nanoseconds. Negative: it has so much more.
    ///   - onLateSuccess: Called if the store has done it after the caller's wait.
    func performInTime<Success: Sendable>(
        _ call: CacheStoreCall?,
        spent: Int64 = 0,
        onLateSuccess: @escaping @Sendable (Success) async -> Void = { _ in },
        _ body: @escaping @Sendable () async throws(StoreError) -> Success
    ) async -> Answer<Success> {
        guard configuration.deadline != nil else { return Answer(await perform(call, body)) }
        let answer = FirstAnswer<Answer<Success>>()
        let task = startTask { [self] in
            // That a busy process had no thread for the task yet says nothing of the store: its time begins now.
            let token = deadline(from: ticker.nanoseconds() - spent).map { deadlines.schedule(at: $0) { answer.answer(.timedOut) } }
            let result = await perform(call, body)
            if let token { deadlines.cancel(token) }
            if !answer.answer(Answer(result)), case .success(let success) = result { await onLateSuccess(success) }
        }
        return await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            task.cancel()
        }
    }

    /// Does the same, and tells the observer how the call has ended.
    ///
    /// - Parameter outcome: The outcome of a call that has succeeded.
    func performInTimeAndTell<Success: Sendable>(
        _ call: CacheStoreCall,
        spent: Int64 = 0,
        outcome: (Success) -> CacheStoreOutcome,
        onLateSuccess: @escaping @Sendable (Success) async -> Void = { _ in },
        _ body: @escaping @Sendable () async throws(StoreError) -> Success
    ) async -> Answer<Success> {
        let start = ticker.nanoseconds()
        let answer = await performInTime(call, spent: spent, onLateSuccess: onLateSuccess, body)
        let now = ticker.nanoseconds()
        switch answer {
        case .success(let success): tell(call, outcome(success), since: start, until: now)
        case .failure(let error): tell(call, .failed, error: error, since: start, until: now)
        case .timedOut: tell(call, .timedOut, since: start, until: now)
        }
        return answer
    }

    /// The statistics of the store; `nil` if it does not answer in time.
    func statistics() async -> StoreStatistics? {
        let answer = await performInTime(nil) { [store] () async throws(StoreError) in try await store.statistics() }
        if case .success(let statistics) = answer { return statistics }
        return nil
    }

    /// A page of a listing takes a store as long as several operations, and has so many times the deadline.
    static var deadlinesPerPage: Int64 { 8 }

    /// Lists records. `nil`: the store cannot list.
    func page(after cursor: RecordCursor?, limit: Int) async -> Answer<RecordPage>? {
        guard let store = store as? any ListingRecordStore else { return nil }
        let hour: Int64 = 3_600_000_000_000
        let extra = min(hour, configuration.deadline?.saturatingNanoseconds ?? 0) * (Self.deadlinesPerPage - 1)
        let call = CacheStoreCall(store: name, operation: .read)
        return await performInTimeAndTell(call, spent: -extra, outcome: { $0.records.isEmpty ? .notFound : .found }) { () async throws(StoreError) in
            try await store.recordPage(after: cursor, limit: limit)
        }
    }

    /// Reads a record without a use. `nil`: there is none, or the store cannot tell.
    func peek(forKey key: RecordKey) async -> Record? {
        if case .success(let record) = await peekInTime(forKey: key) { record } else { nil }
    }

    /// Does the same, and tells of failures. Success with `nil` also says that the store cannot tell.
    func peekInTime(forKey key: RecordKey) async -> Answer<Record?> {
        guard let store = store as? any ListingRecordStore else { return .success(nil) }
        let call = CacheStoreCall(store: name, operation: .read)
        let answer = await performInTimeAndTell(call, outcome: { $0 == nil ? .notFound : .found }) { () async throws(StoreError) in
            try await store.peekRecord(forKey: key)
        }
        guard case .success(let record?) = answer, hasInvalidated(key, tags: record.tags, partition: record.partition) else { return answer }
        return .success(nil)
    }

    /// Has the store call back, and waits for that until the deadline, or until the caller is cancelled. Starts no task.
    ///
    /// - Returns: The answer; `nil`: the store has to be called. And how long the store has taken for it, in nanoseconds.
    func readByCallback(_ key: RecordKey, from store: any CallbackRecordStore) async -> (answer: Answer<Record?>?, spent: Int64) {
        let start = ticker.nanoseconds()
        let answer = FirstAnswer<Answer<(reading: CallbackReading, tick: Int64)>>()
        let token = deadline(from: start).map { deadlines.schedule(at: $0) { answer.answer(.timedOut) } }
        let answered = await withTaskCancellationHandler {
            store.beginReading(key) { [ticker] in answer.answer(.success(($0, ticker.nanoseconds()))) }
            return await answer.value()
        } onCancel: {
            answer.answer(.failure(StoreError(.unavailable, "The read was cancelled.")))
        }
        if let token { deadlines.cancel(token) }
        switch answered {
        case .timedOut: return (.timedOut, 0)
        case .failure(let error): return (.failure(error), 0)
        case .success(let (reading, tick)):
            let answer = Answer(reading.result)
            // That the caller had to wait for a thread meanwhile says nothing of the store.
            return (answer, answer == nil ? tick - start : 0)
        }
    }

    func tell(_ call: CacheStoreCall, _ outcome: CacheStoreOutcome, error: StoreError? = nil, since start: Int64, until now: Int64) {
        observer?.storeCallEnded(call, outcome: outcome, error: error, duration: .nanoseconds(now - start))
    }

    func tellSkipped(_ operation: CacheStoreCall.Operation, count: Int) {
        guard count > 0, let observer else { return }
        let call = CacheStoreCall(store: name, operation: operation, recordCount: count)
        observer.storeCallEnded(call, outcome: .skipped, error: nil, duration: .zero)
    }

    func tellGivenUp(_ calls: [Call], at now: Int64) {
        for call in calls { tell(call.call, .timedOut, since: call.start, until: now) }
    }
}

extension StoreTier.Answer {
    fileprivate init(_ result: Result<Success, StoreError>) {
        switch result {
        case .success(let success): self = .success(success)
        case .failure(let error): self = .failure(error)
        }
    }
}

extension StoreTier.Answer<Record?> {
    /// The finding of a short way of reading a record; `nil`: the store has to be called.
    init?(_ read: () throws(StoreError) -> ImmediateReading) {
        do throws(StoreError) {
            switch try read() {
            case .record(let record): self = .success(record)
            case .absent: self = .success(nil)
            case .unavailable: return nil
            }
        } catch {
            self = .failure(error)
        }
    }
}
