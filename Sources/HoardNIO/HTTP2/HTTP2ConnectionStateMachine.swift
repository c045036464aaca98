// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardWire
internal import NIOHTTP2

/// Decides when an HTTP/2 connection says that it takes no more streams, and when it ends; does no I/O.
///
/// The client is told which stream is the last one that is served; those that were on their way then it can safely send again, on another connection
/// ([RFC 9113 §6.8](https://www.rfc-editor.org/rfc/rfc9113#section-6.8)). To announce the end first and name the last stream later, as the RFC
/// suggests, would gain nothing: the codec refuses new streams from the announcement on.
struct HTTP2ConnectionStateMachine {
    private enum Phase {
        case open
        /// Streams that come now are not served.
        case draining
        /// The response side is closed; the client's bytes are dropped until it closes its own.
        case lingering
        case closed
    }

    private var phase = Phase.open
    private(set) var streamCount = 0
    private(set) var lastStream = HTTP2StreamID.rootStream

    enum Action: Equatable {
        case none
        /// Tell the client which stream is the last one.
        case nameLastStream
        /// Tell the client which stream is the last one, and end the connection.
        case nameLastStreamAndClose
        /// End the connection.
        case close
        /// End the connection without waiting for the client.
        case closeAtOnce
    }

    mutating func streamOpened(_ id: HTTP2StreamID) {
        streamCount += 1
        lastStream = max(lastStream, id)
    }

    mutating func streamClosed() -> Action {
        streamCount -= 1
        guard streamCount == 0, phase == .draining else { return .none }
        phase = .lingering
        return .close
    }

    /// The connection is to take no more streams.
    mutating func quiesce() -> Action {
        guard phase == .open else { return .none }
        if streamCount == 0 {
            phase = .lingering
            return .nameLastStreamAndClose
        }
        phase = .draining
        return .nameLastStream
    }

    /// There has been no stream for too long.
    mutating func idledOut() -> Action {
        guard streamCount == 0, phase == .open else { return .none }
        return quiesce()
    }

    /// The codec has given the connection up, and has told the client.
    mutating func failed(by error: OutgoingFrames.ConnectionError) -> Action {
        guard !isLingering, phase != .closed else { return .none }
        phase = .lingering
        return error == .excess ? .closeAtOnce : .close
    }

    mutating func closed() {
        phase = .closed
    }

    var isLingering: Bool { phase == .lingering }
}
