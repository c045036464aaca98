// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The times a connection keeps: when it was last heard of, and when it is given up.
///
/// There is one timer per connection. It is not moved when a deadline moves away, only checked when it fires,
/// so that a request costs no work on the event loop's heap of timers.
struct ConnectionTiming {
    private let idleTimeout: TimeAmount
    private let headTimeout: TimeAmount
    private let bodyTimeout: TimeAmount
    private let writeTimeout: TimeAmount
    private let lingerTimeout: TimeAmount
    /// The time between two checks of an exchange in progress.
    private let samplingInterval: TimeAmount

    var timer: Scheduled<Void>?
    var timerDeadline = NIODeadline.distantFuture
    private(set) var deadline = NIODeadline.distantFuture
    /// A request's first bytes have arrived, or the connection has not had a request yet.
    private(set) var isHeadDue = true
    /// At least one byte of the next request has arrived.
    private(set) var hasHeadBegun = false
    private var lastReceived = NIODeadline.distantPast
    private var writeCount = 0
    private(set) var receivedByteCount = 0
    private(set) var writtenByteCount = 0
    private var receiving: TransferWatch
    private var sending: TransferWatch
    private var writeSample = (pendingByteCount: 0, writeCount: 0, since: NIODeadline.distantPast)

    init(_ configuration: HTTPServer.Configuration) {
        idleTimeout = TimeAmount(configuration.idleTimeout)
        headTimeout = TimeAmount(configuration.headTimeout)
        bodyTimeout = TimeAmount(configuration.bodyTimeout)
        writeTimeout = TimeAmount(configuration.writeTimeout)
        lingerTimeout = TimeAmount(configuration.lingerTimeout)
        samplingInterval = configuration.samplingInterval
        receiving = TransferWatch(minimumBytesPerSecond: configuration.minimumBytesPerSecond)
        sending = TransferWatch(minimumBytesPerSecond: configuration.minimumBytesPerSecond)
    }

    mutating func connected(now: NIODeadline) {
        // The head may be in a hurry already, if the server has begun to end before the protocol was known.
        deadline = min(deadline, now + headTimeout)
    }

    /// Bytes have arrived while no request was in progress.
    mutating func headBytesArrived(now: NIODeadline) {
        hasHeadBegun = true
        guard !isHeadDue else { return }
        isHeadDue = true
        deadline = now + headTimeout
    }

    mutating func becameIdle(now: NIODeadline) {
        isHeadDue = false
        hasHeadBegun = false
        deadline = now + idleTimeout
    }

    mutating func exchangeStarted(now: NIODeadline) {
        lastReceived = now
        writeSample = (0, writeCount, now)
        deadline = now + samplingInterval
    }

    /// The head that is due has no more time than a client has to close its side.
    mutating func hurry(now: NIODeadline) {
        deadline = min(deadline, now + lingerTimeout)
    }

    mutating func lingering(now: NIODeadline) {
        deadline = now + lingerTimeout
    }

    mutating func received(now: NIODeadline) {
        lastReceived = now
    }

    /// - Parameter byteCount: How much content was written.
    mutating func wrote(byteCount: Int = 0) {
        writeCount += 1
        writtenByteCount += byteCount
    }

    /// Content of a request has arrived.
    mutating func receivedContent(byteCount: Int) {
        receivedByteCount += byteCount
    }

    mutating func sampled(now: NIODeadline) {
        deadline = now + samplingInterval
    }

    /// Whether the client has sent nothing for too long, or too little.
    ///
    /// - Parameter isWaitedFor: Whether it is the client that the exchange waits for.
    mutating func isReceivingStalled(isWaitedFor: Bool = true, now: NIODeadline) -> Bool {
        let isTooSlow = receiving.sample(isWaiting: isWaitedFor, byteCount: receivedByteCount, now: now)
        return isWaitedFor && (isTooSlow || now - lastReceived >= bodyTimeout)
    }

    /// Whether the client has taken nothing for too long, or too little.
    ///
    /// - Parameter pendingByteCount: The number of bytes that the kernel has not taken yet.
    mutating func isSendingStalled(pendingByteCount: Int, now: NIODeadline) -> Bool {
        if sending.sample(isWaiting: pendingByteCount > 0, byteCount: writtenByteCount - pendingByteCount, now: now) { return true }
        if pendingByteCount == 0 || pendingByteCount != writeSample.pendingByteCount || writeCount != writeSample.writeCount {
            writeSample = (pendingByteCount, writeCount, now)
            return false
        }
        return now - writeSample.since >= writeTimeout
    }
}
