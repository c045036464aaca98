// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOSSL
internal import Synchronization

/// What connections to secure origins need. It is made for the first of them: to read the certificates that the system trusts takes longer than
/// everything else that a transport needs, and many never meet a secure origin.
final class ClientTLS: Sendable {
    private let version: NIOTransport.Version
    private let trustRoots: [NIOSSLCertificate]
    private let made = Mutex<Result<NIOSSLContext, TransportError>?>(nil)

    init(_ version: NIOTransport.Version, trustRoots: [NIOSSLCertificate]) {
        self.version = version
        self.trustRoots = trustRoots
    }

    /// - Throws: ``TransportError`` if there can be no encryption here, the same each time.
    func context() throws(TransportError) -> NIOSSLContext {
        try made.withLock { made in
            if let made { return made }
            let result = Result { () throws(TransportError) in try makeContext() }
            made = result
            return result
        }.get()
    }

    private func makeContext() throws(TransportError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols =
            switch version {
            case .http1: ["http/1.1"]
            case .http2: ["h2"]
            case .automatic: ["h2", "http/1.1"]
            }
        if !trustRoots.isEmpty { configuration.additionalTrustRoots = [.certificates(trustRoots)] }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TransportError(.tlsFailed, "The settings for encryption cannot be used.", underlyingError: error)
        }
    }
}
