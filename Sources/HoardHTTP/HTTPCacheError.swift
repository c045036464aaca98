// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Why a request to an ``HTTPCache`` got no response.
public struct HTTPCacheError: Error, Sendable {
    /// What went wrong, by kind.
    public struct Code: Hashable, Sendable {
        private enum Base: Hashable, Sendable { case invalidRequest, forwardFailed }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// The request has no usable `http` or `https` URI.
        public static var invalidRequest: Self { .init(.invalidRequest) }
        /// Nothing stored could answer, and the origin could not be asked. ``HTTPCacheError/transportError`` says why.
        public static var forwardFailed: Self { .init(.forwardFailed) }
    }

    public let code: Code
    /// One sentence a person can act on.
    public let message: String
    /// What the transport reported.
    public let transportError: TransportError?
    /// What the cache did, as RFC 9211 writes it.
    public let cacheStatus: String

    init(_ code: Code, _ message: String, transportError: TransportError? = nil, cacheStatus: String) {
        self.code = code
        self.message = message
        self.transportError = transportError
        self.cacheStatus = cacheStatus
    }
}

extension HTTPCacheError: CustomStringConvertible {
    public var description: String { message }
}
