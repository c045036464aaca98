// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient
    internal import HoardHTTP
    public import NIOCore

    extension AsyncHTTPClientTransport {
        /// How a transport connects.
        public struct Configuration: Sendable {
            /// The longest time that making a connection may take, including its encryption, and that a request may wait for one to become free. Default: 10 seconds.
            public var connectTimeout = Duration.seconds(10)
            /// The longest time for which an exchange may stand still: the origin takes nothing of a streamed request, or after it sends nothing of the response. Default: 60 seconds.
            ///
            /// The time also runs while the consumer of a response's body asks for no more of it, so that a body that is kept and not read does not
            /// hold its connection for ever.
            public var readTimeout = Duration.seconds(60)
            /// How many connections to one origin are open at once. Requests beyond that wait. Default: 64.
            public var maximumConnectionCountPerHost = 64
            /// A file of certificates in PEM form that are trusted as well as those of the system: a private authority's, for example. Default: none.
            ///
            /// The certificate of an `https` origin is always verified. It is read when the transport is made.
            public var additionalTrustRootsPath: String?
            /// The threads to work on. `nil` for shared ones. Default: `nil`.
            public var eventLoopGroup: (any EventLoopGroup)?

            /// Creates a configuration with the defaults; change the properties afterwards.
            public init() {}
        }
    }

    extension AsyncHTTPClientTransport.Configuration {
        func validate() throws(TransportError) {
            guard connectTimeout > .zero else {
                throw TransportError(.failed, "The setting connectTimeout is \(connectTimeout); it must be longer than zero.")
            }
            guard readTimeout > .zero else {
                throw TransportError(.failed, "The setting readTimeout is \(readTimeout); it must be longer than zero.")
            }
            guard maximumConnectionCountPerHost > 0 else {
                throw TransportError(
                    .failed,
                    "The setting maximumConnectionCountPerHost is \(maximumConnectionCountPerHost); it must be at least 1."
                )
            }
        }
    }
#endif
