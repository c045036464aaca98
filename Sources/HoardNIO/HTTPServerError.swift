// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The reason why a server could not start.
///
/// Compare ``code``; its set can grow without breaking code that matches on it.
package struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// Something listens there already.
        package static var addressInUse: Self { Self(description: #function) }
        /// The address is none of this machine's.
        package static var addressNotAvailable: Self { Self(description: #function) }
        /// The process may not listen there.
        package static var permissionDenied: Self { Self(description: #function) }
        /// The host cannot be resolved, or the port is none.
        package static var invalidAddress: Self { Self(description: #function) }
        /// A setting has a value that makes no sense.
        package static var invalidConfiguration: Self { Self(description: #function) }
        /// A certificate or a private key cannot be used.
        package static var invalidCertificate: Self { Self(description: #function) }
        /// Anything no other code names.
        package static var failed: Self { Self(description: #function) }
    }

    package let code: Code
    /// One sentence a person can act on. It names the address.
    package let message: String
    /// The error that the layer below reported, if any.
    package let underlyingError: (any Error)?

    package init(_ code: Code, _ message: String, underlyingError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlyingError = underlyingError
    }

    package var description: String { message }
}

extension HTTPServerError {
    /// The error for a failure to listen.
    static func binding(_ address: HTTPServer.Listener.Address, error: any Error) -> HTTPServerError {
        let (code, reason): (Code, String) =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE: (.addressInUse, "another program listens there")
            case EADDRNOTAVAIL: (.addressNotAvailable, "the address is none of this machine's")
            case EACCES, EPERM: (.permissionDenied, "permission is denied; ports below 1024 are often reserved")
            case ENOENT, ENOTDIR: (.invalidAddress, "its directory does not exist")
            case nil where error as? SocketAddressError == .unixDomainSocketPathTooLong: (.invalidAddress, "the path is too long")
            case nil where error is SocketAddressError || error is SocketAddressError.UnknownHost: (.invalidAddress, "the host cannot be resolved")
            default: (.failed, "\(error)")
            }
        return HTTPServerError(code, "Cannot listen on \(address): \(reason).", underlyingError: error)
    }
}

extension HTTPServerError {
    /// The error for certificates that cannot be used.
    static func certificates(for address: HTTPServer.Listener.Address, error: any Error) -> HTTPServerError {
        let reason = (error as? TLSError)?.message ?? "\(error)"
        return HTTPServerError(.invalidCertificate, "Cannot encrypt what is sent on \(address). \(reason)", underlyingError: error)
    }
}
