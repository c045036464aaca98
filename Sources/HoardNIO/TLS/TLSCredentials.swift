// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardMessages
internal import NIOCore
internal import NIOPosix
package import NIOSSL

/// The credentials with which a server proves its identity, and their source.
package struct TLSCredentials: Sendable {
    /// Certificates and the key of the first one.
    package struct Loaded: Sendable {
        /// The server's own certificate, then those that it was signed with.
        package var chain: [NIOSSLCertificate]
        package var privateKey: NIOSSLPrivateKey

        package init(chain: [NIOSSLCertificate], privateKey: NIOSSLPrivateKey) {
            self.chain = chain
            self.privateKey = privateKey
        }
    }

    /// Reads both, at the start and at each reload. It may block: it runs on a thread of its own.
    let load: @Sendable () throws -> Loaded

    package init(load: @escaping @Sendable () throws -> Loaded) {
        self.load = load
    }

    /// Certificates and a key in files in PEM form. They are read anew at each reload.
    package static func files(certificateChainPath: String, privateKeyPath: String) -> TLSCredentials {
        TLSCredentials {
            let chain: [NIOSSLCertificate]
            do {
                chain = try NIOSSLCertificate.fromPEMFile(certificateChainPath)
            } catch {
                throw TLSError("The file \(certificateChainPath) holds no certificate in PEM form that can be read.", underlyingError: error)
            }
            do {
                return Loaded(chain: chain, privateKey: try NIOSSLPrivateKey(file: privateKeyPath, format: .pem))
            } catch {
                throw TLSError("The file \(privateKeyPath) holds no private key in PEM form that can be read.", underlyingError: error)
            }
        }
    }

    /// Loads them, and makes sure that they can be used. That their time is over is no reason not to use them, as there is nothing better.
    ///
    /// - Parameter listener: Where they are used.
    /// - Returns: The context, and a warning if clients will refuse the certificate because of its time.
    /// - Throws: ``TLSError``.
    func makeContext(for listener: HTTPServer.Listener, clock: any WallClock) async throws -> (NIOSSLContext, warning: String?) {
        let load = load
        return try await NIOSingletons.posixBlockingThreadPool.runIfActive {
            try Self.makeContext(load(), for: listener, now: HTTPDate(clock.now()).secondsSince1970)
        }
    }

    private static func makeContext(_ loaded: Loaded, for listener: HTTPServer.Listener, now: Int64) throws -> (NIOSSLContext, warning: String?) {
        guard let own = loaded.chain.first else { throw TLSError("There is no certificate.") }
        let warning: String? =
            if Int64(own.notValidAfter) < now {
                "The certificate has expired."
            } else if Int64(own.notValidBefore) > now {
                "The certificate is not valid yet."
            } else {
                nil
            }
        do {
            return (try NIOSSLContext(configuration: .server(loaded, listener)), warning)
        } catch let error as TLSError {
            throw error
        } catch {
            throw TLSError("The certificate and the private key do not fit together, or cannot be used.", underlyingError: error)
        }
    }
}

extension TLSConfiguration {
    fileprivate static func server(_ loaded: TLSCredentials.Loaded, _ listener: HTTPServer.Listener) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: loaded.chain.map { .certificate($0) },
            privateKey: .privateKey(loaded.privateKey)
        )
        try listener.tlsRules.apply(to: &configuration)
        configuration.applicationProtocols = listener.isHTTP2Enabled ? ["h2", "http/1.1"] : ["http/1.1"]
        return configuration
    }
}

/// The reason why certificates cannot be used.
struct TLSError: Error, Sendable, CustomStringConvertible {
    /// One sentence a person can act on.
    let message: String
    let underlyingError: (any Error)?

    init(_ message: String, underlyingError: (any Error)? = nil) {
        self.message = message
        self.underlyingError = underlyingError
    }

    var description: String { message }
}
