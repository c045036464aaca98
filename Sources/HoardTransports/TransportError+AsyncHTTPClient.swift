// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import HoardHTTP
internal import NIOCore
internal import NIOHTTP1
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
    /// The error for what the client, or the layers below it, reported.
    init(_ error: any Error, origin: Origin, configuration: AsyncHTTPClientTransport.Configuration) {
        if let error = error as? TransportError {
            self = error
            return
        }
        let code = Code(error)
        self.init(code, Self.message(code, error, origin: origin, configuration: configuration), underlyingError: error)
    }

    private static func message(
        _ code: Code,
        _ error: any Error,
        origin: Origin,
        configuration: AsyncHTTPClientTransport.Configuration
    ) -> String {
        switch code {
        case .invalidURL: "The URL of a request to \(origin.name) is not valid."
        case .cannotConnect: "No connection to \(origin.name) could be made: \(reason(error))."
        case .tlsFailed: "The connection to \(origin.name) could not be secured: its certificate or its encryption was not accepted."
        case .timedOut where (error as? HTTPClientError).isAboutConnecting:
            "No connection to \(origin.name) could be had in \(configuration.connectTimeout)."
        case .timedOut: "The exchange with \(origin.name) stood still for \(configuration.readTimeout)."
        case .connectionClosed: "The connection to \(origin.name) was closed before the response was complete."
        case .invalidResponse: "The response of \(origin.name) is not valid HTTP."
        case .cancelled: "The request to \(origin.name) was cancelled."
        default:
            (error as? HTTPClientError) == .alreadyShutdown
                ? "The request to \(origin.name) was not sent because the transport has been shut down."
                : "The request to \(origin.name) failed."
        }
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
    fileprivate init(_ error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError: self.init(error)
        case is NIOConnectionError, is SocketAddressError, is SocketAddressError.UnknownHost: self = .cannotConnect
        case ChannelError.connectTimeout: self = .timedOut
        case let error as IOError: self.init(errno: error.errnoCode)
        case NIOSSLError.uncleanShutdown, is NIOSSLCloseTimedOutError: self = .connectionClosed
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self = .tlsFailed
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection: self = .connectionClosed
        case is HTTPParserError, is NIOHTTPDecoderError: self = .invalidResponse
        case is ChannelError: self = .connectionClosed
        default: self = .failed
        }
    }

    private init(_ error: HTTPClientError) {
        switch error {
        case .invalidURL, .emptyHost, .emptyScheme: self = .invalidURL
        case .cancelled, .requestStreamCancelled: self = .cancelled
        case .tlsHandshakeTimeout: self = .tlsFailed
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout: self = .timedOut
        case .remoteConnectionClosed, .uncleanShutdown: self = .connectionClosed
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

extension HTTPClientError? {
    fileprivate var isAboutConnecting: Bool {
        self == .connectTimeout || self == .getConnectionFromPoolTimeout
    }
}
