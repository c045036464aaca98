// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The times a connection to an origin keeps: when its exchange last went on, and when it is given up.
///
/// There is one timer per connection. It is not moved when a deadline moves away, only checked when it fires,
/// so that a request costs no work on the event loop's heap of timers.
struct ClientConnectionTiming {
    private let readTimeout: TimeAmount
    /// `nil`: the head of a response has no time of its own.
    private let responseTimeout: TimeAmount?
    private let idleTimeout: TimeAmount

    private var timer: Scheduled<Void>?
    private var timerDeadline = NIODeadline.distantFuture
    /// When the connection is given up if nothing happens.
    private(set) var deadline = NIODeadline.distantFuture
    /// The number of bytes that the network had not taken at the last check.
    private var pendingByteCount = 0
    /// The content of the request is waited for, so the origin is not to blame if nothing happens.
    var isSourceWaitedFor = false
    /// The request has been written, and the head of the response has its own time.
    private var isHeadWaitedFor = false
    private var isHeadReceived = false
    private var isRequestWritten = false
    private var isTunnel = false

    init(readTimeout: Duration, responseTimeout: Duration? = nil, idleTimeout: Duration) {
        // Beyond a year, deadlines could overflow, and no caller waits that long.
        let longest = Duration.seconds(365 * 86_400)
        self.readTimeout = TimeAmount(min(readTimeout, longest))
        self.responseTimeout = responseTimeout.map { TimeAmount(min($0, longest)) }
        self.idleTimeout = TimeAmount(min(idleTimeout, longest))
    }

    mutating func exchangeStarted(now: NIODeadline) {
        isSourceWaitedFor = false
        isHeadWaitedFor = false
        isHeadReceived = false
        isRequestWritten = false
        pendingByteCount = 0
        deadline = now + readTimeout
    }

    /// The exchange went on. Single bytes of a head do not count if heads have a time of their own.
    mutating func progressed(now: NIODeadline) {
        guard !isHeadWaitedFor, !isTunnel else { return }
        deadline = now + readTimeout
    }

    /// The origin has opened a WebSocket. How long that may stand still is for the other side of it to say.
    mutating func tunnelOpened() {
        isTunnel = true
        deadline = .distantFuture
    }

    /// The last byte of the request has been written. From now on the head of the response is waited for.
    mutating func requestEnded(now: NIODeadline) {
        isRequestWritten = true
        guard !isHeadReceived, !isTunnel else { return }
        if let responseTimeout {
            isHeadWaitedFor = true
            deadline = now + responseTimeout
        } else {
            deadline = now + readTimeout
        }
    }

    /// An interim response has arrived: the origin works on the request. Its time for the head begins anew.
    mutating func interimResponseArrived(now: NIODeadline) {
        if isHeadWaitedFor { requestEnded(now: now) } else { progressed(now: now) }
    }

    /// The head of the final response has arrived.
    mutating func headArrived(now: NIODeadline) {
        isHeadWaitedFor = false
        isHeadReceived = true
        deadline = now + readTimeout
    }

    /// The error for the step at which the origin has been too slow. It holds when ``isStalled(pendingByteCount:now:)`` has returned `true`.
    var stallError: ExchangeError {
        if isHeadWaitedFor { return pendingByteCount > 0 ? .requestStalled : .responseTimedOut }
        return isHeadReceived || isRequestWritten || responseTimeout == nil ? .stalled : .requestStalled
    }

    /// - Parameter announcedIdleTime: How long the origin keeps the connection. It is given up a second before that, so that no request
    ///   is sent while the origin closes it.
    mutating func becameIdle(announcedIdleTime: Duration?, now: NIODeadline) {
        let announced = announcedIdleTime.map { TimeAmount(max(.zero, $0 - .seconds(1))) }
        deadline = now + min(idleTimeout, announced ?? idleTimeout)
    }

    /// The connection waits for its next exchange. If it has served one, its time runs from the end of that: ``becameIdle(announcedIdleTime:now:)``.
    mutating func kept(now: NIODeadline) {
        if deadline == .distantFuture { deadline = now + idleTimeout }
    }

    /// Whether the exchange in progress stands still.
    ///
    /// - Parameter pendingByteCount: The number of bytes that the network has not taken yet.
    mutating func isStalled(pendingByteCount: Int, now: NIODeadline) -> Bool {
        if isSourceWaitedFor || pendingByteCount != self.pendingByteCount {
            self.pendingByteCount = pendingByteCount
            if isHeadWaitedFor { requestEnded(now: now) } else { progressed(now: now) }
        }
        return now >= deadline
    }

    /// Whether the timer must be set anew to fire no later than the deadline. The one before is cancelled.
    mutating func needsTimer() -> Bool {
        guard timer == nil || deadline < timerDeadline else { return false }
        timer?.cancel()
        return true
    }

    mutating func timerStarted(_ timer: Scheduled<Void>) {
        self.timer = timer
        timerDeadline = deadline
    }

    mutating func timerFired() {
        timer = nil
    }

    mutating func cancel() {
        timer?.cancel()
        timer = nil
    }
}
