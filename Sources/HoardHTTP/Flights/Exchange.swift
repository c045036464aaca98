// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import Synchronization

/// One request to the origin, and the callers that wait for the head of its answer: the leader, whose request it is,
/// and followers.
///
/// It runs in a task of its own, so that none of them breaks it off for the others. When the last one has left before the head has come, it is cancelled.
final class Exchange: Sendable {
    /// The result of an exchange when the head of its answer is there.
    struct Landing: Sendable {
        /// For the leader.
        var answer: Result<LeaderAnswer, HTTPCacheError>
        var shared: Shared
    }

    struct LeaderAnswer: Sendable {
        let response: HTTPCacheResponse
        /// The outcome as which the leader's request counts.
        let outcome: HTTPCache.Outcome

        init(_ response: HTTPCacheResponse, _ outcome: HTTPCache.Outcome) {
            self.response = response
            self.outcome = outcome
        }
    }

    /// The part of the result that followers get.
    enum Shared: Sendable {
        /// A response that will be stored, and its content as it arrives.
        case arriving(StoredResponse, SharedBody)
        /// A response that is stored.
        case stored(StoredResponse)
        /// An answer for the leader alone.
        case unshareable
        /// The origin has not been asked.
        case notAsked
        case failed(HTTPCacheStateMachine.ForwardFailure, TransportError)
    }

    /// A response that a follower may use.
    struct SharedResponse: Sendable {
        let stored: StoredResponse
        /// Gets the content as it arrives; `nil` if it is stored.
        let reader: SharedBodyReader?
        /// The length of the content that arrives, if it is known.
        let length: Int?
    }

    /// The result of a follower's wait.
    enum Arrival: Sendable {
        case response(SharedResponse)
        case unshareable
        /// The follower begins again: the exchange was begun in vain.
        case notAsked
        case failed(HTTPCacheStateMachine.ForwardFailure, TransportError)
        /// The follower has waited long enough.
        case timedOut
        /// The follower's task has been cancelled.
        case cancelled
    }

    private struct State {
        var landing: Landing?
        var leader: CheckedContinuation<Result<LeaderAnswer, HTTPCacheError>?, Never>?
        var isLeaderGone = false
        /// The followers that have joined and not left. One that waits has a continuation.
        var followers: [Int: CheckedContinuation<Arrival, Never>?] = [:]
        var lastFollower = 0
        var isAbandoned = false
        var task: Task<Void, Never>?
        var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// The number of followers that wait for the head.
        var waitingCount: Int { followers.values.count { $0 != nil } }

        mutating func takeLeaderAnswer() -> Result<LeaderAnswer, HTTPCacheError>? {
            defer { landing?.answer = .failure(HTTPCacheError.cancelled) }
            return landing?.answer
        }

        mutating func takeObservers() -> [CheckedContinuation<Void, Never>] {
            let count = waitingCount
            defer { observers.removeAll { $0.count <= count } }
            return observers.filter { $0.count <= count }.map(\.continuation)
        }
    }

    let key: FlightKey
    private let selectingFields: SelectingFields
    /// The leader's request fields that go beyond the connection.
    var leaderFields: HTTPFields { selectingFields.fields }
    /// The flight that decides whether the exchange may store the response: not after a removal.
    let flight: Flight
    private let state = Mutex(State())

    init(key: FlightKey, leaderFields: SelectingFields, flight: Flight) {
        self.key = key
        selectingFields = leaderFields
        self.flight = flight
    }

    func setTask(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            if state.landing == nil { state.task = task }
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    /// The head has come, or will not come. Called once.
    func land(_ landing: Landing) {
        typealias Wakeups = (
            leader: CheckedContinuation<Result<LeaderAnswer, HTTPCacheError>?, Never>?, followers: [(CheckedContinuation<Arrival, Never>, Arrival)]
        )
        interleavingPoint()
        let wakeups = state.withLock { state -> Wakeups in
            state.task = nil
            var followers: [(CheckedContinuation<Arrival, Never>, Arrival)] = []
            for (id, continuation) in state.followers {
                guard let continuation else { continue }
                followers.append((continuation, Self.arrival(landing.shared)))
                state.followers[id] = nil
            }
            defer { state.leader = nil }
            // Kept for callers that have joined and are about to wait, and for callers that come later.
            var kept = landing
            kept.answer = .failure(HTTPCacheError.cancelled)
            if state.leader == nil, !state.isLeaderGone { kept.answer = landing.answer }
            state.landing = kept
            return (state.leader, followers)
        }
        wakeups.leader?.resume(returning: landing.answer)
        for (continuation, arrival) in wakeups.followers { continuation.resume(returning: arrival) }
    }

    private static func arrival(_ shared: Shared) -> Arrival {
        switch shared {
        case .arriving(let response, let body):
            body.addReader().map { .response(SharedResponse(stored: response, reader: $0, length: body.expectedLength)) } ?? .unshareable
        case .stored(let response): .response(SharedResponse(stored: response, reader: nil, length: nil))
        case .unshareable: .unshareable
        case .notAsked: .notAsked
        case .failed(let failure, let error): .failed(failure, error)
        }
    }

    // MARK: The leader

    /// The leader's answer, if the head is there already. It is given once.
    func takeLeaderAnswer() -> Result<LeaderAnswer, HTTPCacheError>? { state.withLock { $0.takeLeaderAnswer() } }

    /// Waits for the leader's answer. If the leader is cancelled, the exchange goes on only if there are followers.
    func leaderAnswer() async -> Result<LeaderAnswer, HTTPCacheError> {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<LeaderAnswer, HTTPCacheError>?, Never>) in
                let landed = state.withLock { state -> Result<LeaderAnswer, HTTPCacheError>? in
                    if state.landing == nil { state.leader = continuation }
                    return state.takeLeaderAnswer()
                }
                if let landed { continuation.resume(returning: landed) }
                if Task.isCancelled { leaderLeaves() }
            }
        } onCancel: {
            leaderLeaves()
        }
        return answer ?? .failure(HTTPCacheError.cancelled)
    }

    private func leaderLeaves() {
        let (leader, task) = state.withLock { state -> (CheckedContinuation<Result<LeaderAnswer, HTTPCacheError>?, Never>?, Task<Void, Never>?) in
            guard state.landing == nil else { return (nil, nil) }
            guard state.followers.isEmpty else {
                // The followers still want it.
                guard state.leader != nil else { return (nil, nil) }
                state.isLeaderGone = true
                defer { state.leader = nil }
                return (state.leader, nil)
            }
            // No follower wants it. The leader waits until the transport has heeded the cancellation.
            state.isAbandoned = true
            return (nil, state.task)
        }
        leader?.resume(returning: nil)
        task?.cancel()
    }

    // MARK: Followers

    /// The answer to a request that wants to join.
    enum Joining: Sendable {
        /// It has to wait, by this number.
        case wait(Int)
        case landed(Arrival)
        /// There is nothing to be shared.
        case refused
    }

    func join() -> Joining {
        guard flight.isIntact else { return .refused }
        return state.withLock { state in
            if state.isAbandoned { return .refused }
            if let landing = state.landing {
                guard case .arriving = landing.shared, case .response(let shared) = Self.arrival(landing.shared) else { return .refused }
                return .landed(.response(shared))
            }
            state.lastFollower += 1
            state.followers[state.lastFollower] = .some(nil)
            return .wait(state.lastFollower)
        }
    }

    /// Waits for the head, until `giveUp` has been called for the follower or its task is cancelled.
    func arrival(for follower: Int) async -> Arrival {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (arrival, observers) = state.withLock { state -> (Arrival?, [CheckedContinuation<Void, Never>]) in
                    if let landing = state.landing {
                        state.followers[follower] = nil
                        return (Self.arrival(landing.shared), [])
                    }
                    guard state.followers[follower] != nil else { return (.timedOut, []) }
                    state.followers[follower] = .some(continuation)
                    return (nil, state.takeObservers())
                }
                for observer in observers { observer.resume() }
                if let arrival { continuation.resume(returning: arrival) }
                if Task.isCancelled { giveUp(follower, .cancelled) }
            }
        } onCancel: {
            giveUp(follower, .cancelled)
        }
    }

    /// A follower stops waiting.
    func giveUp(_ follower: Int, _ arrival: Arrival) {
        let (continuation, task) = state.withLock { state -> (CheckedContinuation<Arrival, Never>?, Task<Void, Never>?) in
            guard state.landing == nil, let continuation = state.followers.removeValue(forKey: follower) else { return (nil, nil) }
            guard state.followers.isEmpty, state.isLeaderGone else { return (continuation, nil) }
            state.isAbandoned = true
            return (continuation, state.task)
        }
        continuation?.resume(returning: arrival)
        task?.cancel()
    }

    /// Suspends until so many followers wait for the head. For tests that hold the door.
    func followers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.waitingCount < count { state.observers.append((count, continuation)) }
                return state.waitingCount >= count
            }
            if isThere { continuation.resume() }
        }
    }
}
