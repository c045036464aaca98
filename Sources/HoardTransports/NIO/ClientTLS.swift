// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOSSL
internal import Synchronization

/// The TLS context of connections to secure origins. It is made for the first of them: reading the certificates that the system trusts takes longer
/// than everything else that a transport needs, and many transports never meet a secure origin.
final class ClientTLS: Sendable {
    private let version: NIOTransport.Version
    private let trustRoots: [NIOSSLCertificate]
    private let identity: Identity?
    private let made = Mutex<Result<NIOSSLContext, TransportError>?>(nil)

    /// The certificates and the key by which a client proves its identity.
    struct Identity: Sendable {
        let chain: [NIOSSLCertificate]
        let privateKey: NIOSSLPrivateKey

        /// Reads the files. Blocks.
        init(_ files: NIOTransport.ClientCertificate) throws(TransportError) {
            do {
                chain = try NIOSSLCertificate.fromPEMFile(files.chainPath)
            } catch {
                throw TransportError(
                    .tlsFailed,
                    "The file \(files.chainPath) holds no certificate in PEM form that can be read.",
                    underlyingError: error
                )
            }
            do {
                privateKey = try NIOSSLPrivateKey(file: files.privateKeyPath, format: .pem)
            } catch {
                throw TransportError(
                    .tlsFailed,
                    "The file \(files.privateKeyPath) holds no private key in PEM form that can be read.",
                    underlyingError: error
                )
            }
        }
    }

    /// - Parameter identity: `nil`: the client does not prove its identity.
    init(_ version: NIOTransport.Version, trustRoots: [NIOSSLCertificate], identity: Identity? = nil) {
        self.version = version
        self.trustRoots = trustRoots
        self.identity = identity
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
        if let identity {
            configuration.certificateChain = identity.chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(identity.privateKey)
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            let text =
                identity == nil
                ? "The settings for encryption cannot be used." : "The client's certificate and its private key cannot be used together."
            throw TransportError(.tlsFailed, text, underlyingError: error)
        }
    }
}
