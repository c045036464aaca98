// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOHTTP2

/// Decides the next step of a connection of HTTP/2 to an origin; does no I/O.
struct MultiplexStateMachine {
    private enum State {
        /// The origin's first settings have not arrived.
        case starting
        case running
        /// No exchange is started any more. The connection ends with the last one in progress.
        case leaving
        case closed
    }

    private var state = State.starting
    private(set) var streamCount = 0
    /// It has been kept for later requests, so the origin may close it just when the next one is sent.
    private(set) var isReused = false
    /// It has carried several exchanges at once.
    private var isShared = false
    /// The origin has not worked on streams beyond this one, and will not: [RFC 9113 §6.8](https://www.rfc-editor.org/rfc/rfc9113#section-6.8).
    private(set) var lastStreamID: HTTP2StreamID?

    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// The origin has sent settings.
    ///
    /// - Returns: Whether they were the first.
    mutating func settingsArrived() -> Bool {
        guard case .starting = state else { return false }
        state = .running
        return true
    }

    /// An exchange wants a stream.
    ///
    /// - Returns: Whether there can be one.
    mutating func streamStarted() -> Bool {
        guard case .running = state else { return false }
        streamCount += 1
        if streamCount > 1 { isShared = true }
        return true
    }

    enum StreamEndAction: Equatable {
        case none
        /// Another exchange can be started in the place of this one.
        case release
        /// It was the last one.
        case close
    }

    /// A stream has ended.
    mutating func streamEnded() -> StreamEndAction {
        streamCount -= 1
        isReused = true
        switch state {
        case .running: return .release
        case .leaving where streamCount == 0: return .close
        case .starting, .leaving, .closed: return .none
        }
    }

    /// No request has use for the connection for the time being.
    mutating func kept() {
        isReused = true
    }

    enum LeaveAction: Equatable {
        case none
        /// Tell the pool, and wait for the exchanges in progress.
        case wait
        case close
    }

    /// The connection takes no more exchanges.
    mutating func leave() -> LeaveAction {
        switch state {
        case .starting, .running:
            state = .leaving
            return streamCount == 0 ? .close : .wait
        case .leaving, .closed:
            return .none
        }
    }

    /// The origin takes no more exchanges than those up to a stream.
    mutating func goAwayArrived(lastStreamID: HTTP2StreamID) -> LeaveAction {
        self.lastStreamID = self.lastStreamID.map { min($0, lastStreamID) } ?? lastStreamID
        return leave()
    }

    /// The connection has ended, or is about to be ended by this side.
    mutating func closed() {
        state = .closed
    }

    /// The reason why a stream failed that was closed without having been reset by the origin.
    ///
    /// - Parameter streamID: `nil` if nothing of it was sent.
    func lossError(of streamID: HTTP2StreamID?, hasReceivedBytes: Bool) -> ExchangeError {
        guard let streamID, streamID <= lastStreamID ?? .maxID else { return .lostWithOthers(wasSent: false) }
        return hasCarriedOthers && !hasReceivedBytes ? .lostWithOthers(wasSent: true) : .connectionClosed
    }

    /// Whether a failure may be due to another exchange than the one that suffers it.
    var hasCarriedOthers: Bool { isReused || isShared }
}
