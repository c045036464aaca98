// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides when a connection is made, tried again and given up. Does nothing itself.
struct ConnectionStateMachine: Sendable {
    enum State: Sendable {
        /// A connection is being made. Commands may wait for it if the server has not failed since it was last there.
        case connecting(mayBeWaitedFor: Bool)
        case connected(since: Int64)
        case backingOff
        case closed
    }

    /// The decision about a command.
    enum Admission {
        case send
        case wait
        case refuse(RedisError)
    }

    /// The next step when a connection has ended or could not be made.
    enum Retry: Hashable {
        /// The connection had ended before, or it was an older one.
        case ignored
        case now(attempt: UInt64)
        case later(attempt: UInt64, after: Int64)
    }

    /// A connection that stood for so long, in nanoseconds, is tried again at once.
    static let stableAge: Int64 = 1_000_000_000

    private let initialBackoff: Int64
    private let maximumBackoff: Int64
    private let jitter: Double

    private(set) var state = State.connecting(mayBeWaitedFor: true)
    /// The number of the connection that is being made, stands, or is to be made next. Grows by one with each.
    private(set) var attempt: UInt64 = 1
    /// The failures since a connection was last stable.
    private(set) var failureCount = 0
    private var lastFailure: RedisError?

    /// - Parameters:
    ///   - initialBackoff: Nanoseconds, at least 1.
    ///   - maximumBackoff: Nanoseconds.
    ///   - jitter: From 0 to 1.
    init(initialBackoff: Int64, maximumBackoff: Int64, jitter: Double) {
        self.initialBackoff = max(1, initialBackoff)
        self.maximumBackoff = max(initialBackoff, maximumBackoff, 1)
        // One that is not a number is none.
        self.jitter = jitter > 0 ? min(jitter, 1) : 0
    }

    var isClosed: Bool { if case .closed = state { true } else { false } }

    var admission: Admission {
        switch state {
        case .connected: .send
        case .connecting(mayBeWaitedFor: true): .wait
        case .connecting, .backingOff: .refuse(lastFailure ?? RedisError(.connectionFailed, "There is no connection to the server."))
        case .closed: .refuse(.closedByOwner)
        }
    }

    /// Whether this connection is the one that counts.
    func isCurrent(_ attempt: UInt64) -> Bool {
        guard attempt == self.attempt else { return false }
        switch state {
        case .connecting, .connected: return true
        case .backingOff, .closed: return false
        }
    }

    /// A connection is ready for commands.
    /// - Returns: Whether it is still wanted.
    mutating func connectionMade(_ attempt: UInt64, now: Int64) -> Bool {
        guard attempt == self.attempt, case .connecting = state else { return false }
        state = .connected(since: now)
        return true
    }

    /// A connection has ended, or could not be made.
    /// - Parameter random: A number from 0 to 1, which is not reached.
    mutating func connectionEnded(_ attempt: UInt64, _ error: RedisError, now: Int64, random: Double) -> Retry {
        guard isCurrent(attempt) else { return .ignored }
        self.attempt += 1
        if case .connected(let since) = state, now - since >= Self.stableAge {
            failureCount = 0
            state = .connecting(mayBeWaitedFor: true)
            return .now(attempt: self.attempt)
        }
        failureCount += 1
        lastFailure = RedisError(
            error.code == .connectionLost ? .connectionFailed : error.code,
            error.message,
            underlyingError: error.underlyingError
        )
        state = .backingOff
        return .later(attempt: self.attempt, after: wait(random: random))
    }

    /// A wait is over.
    /// - Returns: Whether a connection is to be made now.
    mutating func waitEnded(_ attempt: UInt64) -> Bool {
        guard attempt == self.attempt, case .backingOff = state else { return false }
        state = .connecting(mayBeWaitedFor: false)
        return true
    }

    /// - Returns: Whether it was open before.
    mutating func close() -> Bool {
        guard !isClosed else { return false }
        state = .closed
        return true
    }

    /// Doubles with each failure, up to the maximum, less a part that is left to chance.
    private func wait(random: Double) -> Int64 {
        let doublings = min(failureCount - 1, 62)
        let (product, overflowed) = initialBackoff.multipliedReportingOverflow(by: 1 << doublings)
        let full = overflowed ? maximumBackoff : min(product, maximumBackoff)
        return max(1, full - Int64(Double(full) * jitter * min(max(random, 0), 1)))
    }
}

extension RedisError {
    static var closedByOwner: RedisError { RedisError(.closed, "The connection to the server was closed.") }
    static var noReplyInTime: RedisError { RedisError(.timedOut, "The server has not replied in time.") }
    static var cancelledByTask: RedisError { RedisError(.cancelled, "The task that waited for the server's reply was cancelled.") }
}
