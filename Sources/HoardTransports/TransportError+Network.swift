// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension TransportError {
    /// The timeouts that a transport's messages name.
    struct Timeouts {
        let connect: Duration
        let read: Duration
        /// `nil`: the head of a response has no time of its own.
        var response: Duration?
    }

    /// One sentence for a person, which names host and port.
    static func message(_ code: Code, _ error: any Error, origin: Destination, timeouts: Timeouts) -> String {
        message(code, origin, delay: "stood still for \(timeouts.read)", reason: reason(error))
    }

    static func connectTimeoutMessage(_ origin: Destination, _ timeouts: Timeouts) -> String {
        "No connection to \(origin.name) could be had in \(timeouts.connect)."
    }

    static func waitTimeoutMessage(_ origin: Destination, _ timeouts: Timeouts) -> String {
        "No connection to \(origin.name) could be had in \(timeouts.connect): all that may be open are in use."
    }

    private static func reason(_ error: any Error) -> String {
        if let error = error as? NIOConnectionError {
            return error.connectionErrors.isEmpty ? "its name does not resolve" : reason(error.connectionErrors[0].error)
        }
        if error is SocketAddressError || error is SocketAddressError.UnknownHost { return "its name does not resolve" }
        return switch (error as? IOError)?.errnoCode {
        case ECONNREFUSED: "nothing listens there"
        case EHOSTUNREACH, ENETUNREACH: "it cannot be reached from here"
        default: "\(error)"
        }
    }
}

extension TransportError.Code {
    /// The code for an error of the network, its encryption or the parser of responses.
    init(networkError error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case is NIOConnectionError, is SocketAddressError, is SocketAddressError.UnknownHost: self = .cannotConnect
        case ChannelError.connectTimeout: self = .timedOut
        case let error as IOError: self.init(errno: error.errnoCode)
        case NIOSSLError.uncleanShutdown, is NIOSSLCloseTimedOutError: self = .connectionClosed
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self = .tlsFailed
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection: self = .connectionClosed
        case is any NIOHTTP2Error: self = .invalidResponse
        case is HTTPParserError, is NIOHTTPDecoderError: self = .invalidResponse
        case is ChannelError: self = .connectionClosed
        default: self = .failed
        }
    }

    private init(errno: CInt) {
        switch errno {
        case ECONNRESET, EPIPE, ENOTCONN: self = .connectionClosed
        case ETIMEDOUT: self = .timedOut
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EHOSTDOWN, ENETDOWN: self = .cannotConnect
        default: self = .failed
        }
    }
}
