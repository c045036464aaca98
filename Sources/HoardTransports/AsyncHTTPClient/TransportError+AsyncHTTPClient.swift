// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import HoardHTTP

    extension TransportError {
        /// The error for a failure that the client, or a layer below it, reported.
        init(_ error: any Error, origin: Destination, configuration: AsyncHTTPClientTransport.Configuration) {
            if let error = error as? TransportError {
                self = error
                return
            }
            let clientError = error as? HTTPClientError
            let isLost = error is LostOnReusedConnection
            let code = isLost ? .connectionClosed : clientError.map { Code($0) } ?? Code(networkError: error)
            let timeouts = Timeouts(connect: configuration.connectTimeout, read: configuration.readTimeout)
            let message =
                switch clientError {
                case .alreadyShutdown: Self.shutDownMessage(origin)
                case .connectTimeout, .getConnectionFromPoolTimeout: Self.connectTimeoutMessage(origin, timeouts)
                default: Self.message(code, error, origin: origin, timeouts: timeouts)
                }
            self.init(code, message, underlyingError: error, mayRetry: isLost)
        }
    }

    extension TransportError.Code {
        fileprivate init(_ error: HTTPClientError) {
            switch error {
            case .invalidURL, .emptyHost, .emptyScheme: self = .invalidURL
            case .cancelled, .requestStreamCancelled: self = .cancelled
            case .tlsHandshakeTimeout: self = .tlsFailed
            case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout: self = .timedOut
            case .remoteConnectionClosed, .uncleanShutdown: self = .connectionClosed
            default: self = .failed
            }
        }
    }
#endif
