// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    internal import HoardHTTP

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    extension URLError {
        /// - Parameter message: A sentence a person can act on.
        init(_ code: Code, _ message: String, url: URL?, underlyingError: (any Error)? = nil) {
            var info: [String: Any] = [NSLocalizedDescriptionKey: message]
            if let underlyingError { info[NSUnderlyingErrorKey] = underlyingError }
            info[NSURLErrorFailingURLErrorKey] = url
            self.init(code, userInfo: info)
        }

        /// The error as a session reports it: that of the session below, if there was one.
        init(_ error: any Error, url: URL) {
            switch error {
            case let error as URLError: self = error
            case let error as ClientError:
                // Foundation on Linux knows many failures by their text alone; the transport has read it.
                if let below = error.transportError?.underlyingError as? URLError, below.code != .unknown {
                    self = below
                } else {
                    self.init(Code(error.code), error.message, url: url, underlyingError: error)
                }
            case let error as TransportError:
                self.init(ClientError(error), url: url)
            case is CancellationError: self.init(.cancelled)
            default: self.init(.unknown, "The response broke off.", url: url, underlyingError: error)
            }
        }
    }

    extension URLError.Code {
        init(_ code: ClientError.Code) {
            switch code {
            case .invalidURL: self = .badURL
            case .invalidRedirect, .insecureRedirect: self = .redirectToNonExistentLocation
            case .tooManyRedirects, .redirectLoop: self = .httpTooManyRedirects
            case .bodyCannotBeSentAgain: self = .requestBodyStreamExhausted
            case .unreachable: self = .cannotConnectToHost
            case .tlsFailed: self = .secureConnectionFailed
            case .timedOut, .deadlineExceeded: self = .timedOut
            case .connectionClosed: self = .networkConnectionLost
            case .invalidResponse: self = .badServerResponse
            case .cancelled: self = .cancelled
            default: self = .unknown
            }
        }
    }
#endif
