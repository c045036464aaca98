// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
package import NIOSSL

/// Demands of a listener on encrypted connections, beside its own certificates.
package struct TLSRules: Sendable {
    package enum Version: Sendable, Hashable {
        case tls12, tls13
    }

    /// Demands on clients.
    package struct Clients: Sendable {
        /// Whether a client without a certificate is refused.
        package var isRequired: Bool
        /// The authorities whose certificates are taken. Read at the start and at each reload; may block.
        package var loadAuthorities: @Sendable () throws -> [NIOSSLCertificate]

        package init(isRequired: Bool, loadAuthorities: @escaping @Sendable () throws -> [NIOSSLCertificate]) {
            self.isRequired = isRequired
            self.loadAuthorities = loadAuthorities
        }

        /// Authorities in a file in PEM form.
        package init(isRequired: Bool, authorityPath: String) {
            self.init(isRequired: isRequired) {
                do {
                    return try NIOSSLCertificate.fromPEMFile(authorityPath)
                } catch {
                    throw TLSError("The file \(authorityPath) holds no certificate in PEM form that can be read.", underlyingError: error)
                }
            }
        }
    }

    /// The oldest version that clients may speak. Default: 1.2.
    package var minimumVersion = Version.tls12
    /// The cipher suites of TLS 1.2, the preferred one first. Those of 1.3 are always the same. Default: ``usualCipherSuites``.
    package var cipherSuites = TLSRules.usualCipherSuites.map(\.suite)
    /// `nil`: clients are asked for no certificates. Default: `nil`.
    package var clients: Clients?
    /// The longest wait for a client's answer to the end of its connection ([RFC 8446 §6.1](https://www.rfc-editor.org/rfc/rfc8446#section-6.1)). Default: 1 second.
    package var shutdownTimeout = Duration.seconds(1)

    package init() {}

    /// By their names, those that have forward secrecy and authenticated encryption, which are the ones that HTTP/2 allows:
    /// [RFC 9113 §9.2](https://www.rfc-editor.org/rfc/rfc9113#section-9.2).
    package static let usualCipherSuites: [(name: String, suite: NIOTLSCipher)] = [
        ("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256),
        ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256),
        ("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384),
        ("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384),
        ("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
        ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256),
    ]

    /// Puts them into a server's configuration.
    ///
    /// - Throws: ``TLSError``.
    func apply(to configuration: inout TLSConfiguration) throws {
        configuration.minimumTLSVersion = minimumVersion == .tls13 ? .tlsv13 : .tlsv12
        configuration.cipherSuiteValues = cipherSuites
        configuration.shutdownTimeout = TimeAmount(shutdownTimeout)
        guard let clients else { return }
        let authorities = try clients.loadAuthorities()
        guard !authorities.isEmpty else { throw TLSError("There is no authority whose clients could be let in.") }
        configuration.trustRoots = .certificates(authorities)
        configuration.sendCANameList = true
        configuration.certificateVerification = clients.isRequired ? .noHostnameVerification : .optionalVerification
    }
}
