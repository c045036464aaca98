// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOSSL

extension CachingProxy {
    /// Checks that the files that a configuration names can be read and have the right content. Reads them, so it blocks.
    ///
    /// - Throws: ``ProxyError/Code/invalidConfiguration``, which names each file that will not do.
    public static func checkFiles(of configuration: Configuration) throws(ProxyError) {
        var problems: [String] = []
        func check(_ path: String, _ what: String, _ read: () throws -> Void) {
            do {
                try read()
            } catch {
                problems.append("The file \(path) cannot be read as \(what): \(error)")
            }
        }
        let served = configuration.listeners.flatMap { [$0.tls].compactMap(\.self) + $0.certificates.map(\.tls) }
        for tls in served + configuration.upstreams.compactMap(\.clientTLS) {
            check(tls.certificateChainPath, "certificates in PEM form") {
                if try NIOSSLCertificate.fromPEMFile(tls.certificateChainPath).isEmpty {
                    throw ProxyError(.invalidConfiguration, "There is none in it.")
                }
            }
            check(tls.privateKeyPath, "a private key in PEM form") { _ = try NIOSSLPrivateKey(file: tls.privateKeyPath, format: .pem) }
        }
        for tls in served + configuration.upstreams.compactMap(\.clientTLS) where problems.isEmpty {
            check(tls.privateKeyPath, "the key of the certificates in \(tls.certificateChainPath)") {
                // A server's would fit together in the same way.
                var client = TLSConfiguration.makeClientConfiguration()
                client.certificateChain = try NIOSSLCertificate.fromPEMFile(tls.certificateChainPath).map { .certificate($0) }
                client.privateKey = .privateKey(try NIOSSLPrivateKey(file: tls.privateKeyPath, format: .pem))
                _ = try NIOSSLContext(configuration: client)
            }
        }
        let authorities = configuration.listeners.compactMap(\.clientCertificates?.authorityPath)
        for path in configuration.upstreams.compactMap(\.additionalTrustRootsPath) + authorities {
            check(path, "certificates in PEM form") {
                if try NIOSSLCertificate.fromPEMFile(path).isEmpty { throw ProxyError(.invalidConfiguration, "There is none in it.") }
            }
        }
        if let warmUp = configuration.warmUp {
            do { _ = try ProxyWarming.Request(warmUp) } catch { problems.append(error.message) }
        }
        for rules in Set(configuration.routes.map(\.rules)) {
            do { _ = try RouteRules(rules) } catch { problems.append(error.message) }
        }
        guard problems.isEmpty else { throw ProxyError(.invalidConfiguration, problems.joined(separator: "\n")) }
    }

    /// Looks whether a file of certificates can be read. Blocks.
    ///
    /// - Parameter path: `nil`: there is none.
    package static func checkTrustRoots(_ path: String?) throws(ProxyError) {
        guard let path else { return }
        do {
            if try NIOSSLCertificate.fromPEMFile(path).isEmpty { throw ProxyError(.invalidConfiguration, "There is none in it.") }
        } catch {
            throw ProxyError(.invalidConfiguration, "The file \(path) cannot be read as certificates in PEM form: \(error)")
        }
    }
}
