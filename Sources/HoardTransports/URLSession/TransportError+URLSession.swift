// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    internal import HoardHTTP

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    extension TransportError {
        /// The error for a failure that the session reported.
        ///
        /// - Parameter hasHead: Whether the head of the response had come.
        init(_ error: any Error, origin: Destination, hasHead: Bool) {
            let code = Code(error, hasHead: hasHead)
            let message = Self.message(code, origin, delay: "took too long", reason: Self.reason(error))
            self.init(code, message, underlyingError: error)
        }

        private static func reason(_ error: any Error) -> String {
            switch (error as? URLError)?.code {
            case .cannotFindHost, .dnsLookupFailed: "its name does not resolve"
            case .cannotConnectToHost: "nothing listens there, or it cannot be reached from here"
            default: "the network is away"
            }
        }
    }

    extension TransportError.Code {
        fileprivate init(_ error: any Error, hasHead: Bool) {
            switch (error as? URLError)?.code {
            case .badURL, .unsupportedURL: self = .invalidURL
            case .notConnectedToInternet, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .internationalRoamingOff, .callIsActive,
                .dataNotAllowed:
                self = .cannotConnect
            case .timedOut: self = .timedOut
            case .cancelled, .userCancelledAuthentication: self = .cancelled
            case .networkConnectionLost: self = .connectionClosed
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
                self = .tlsFailed
            case .badServerResponse where error.localizedDescription.contains(Self.emptyReply): self = .connectionClosed
            case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData, .zeroByteResource: self = .invalidResponse
            default: self = hasHead ? .connectionClosed : Self(text: error.localizedDescription)
            }
        }

        /// The words of curl for a connection that was closed before any byte of a response.
        private static let emptyReply = "Empty reply"

        /// On Linux many failures have no code of their own, and are known only by curl's text.
        private init(text: String) {
            if text.contains("SSL") || text.contains("certificate") {
                self = .tlsFailed
            } else if text.contains(Self.emptyReply) || text.contains("reset by peer") {
                self = .connectionClosed
            } else {
                self = .failed
            }
        }
    }
#endif
