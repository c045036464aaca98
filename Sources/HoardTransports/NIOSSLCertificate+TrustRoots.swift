// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOSSL

extension NIOSSLCertificate {
    /// The certificates in a PEM file; none if there is no path.
    ///
    /// - Throws: ``TransportError`` of code `tlsFailed` if the file holds none that can be read.
    static func trustRoots(atPath path: String?) throws(TransportError) -> [NIOSSLCertificate] {
        guard let path else { return [] }
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw TransportError(.tlsFailed, "The trust roots in \(path) cannot be read.", underlyingError: error)
        }
        guard !certificates.isEmpty else { throw TransportError(.tlsFailed, "There are no trust roots in \(path).") }
        return certificates
    }
}
