// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    internal import HoardHTTP

    extension URLSessionTransport {
        /// How a transport connects, and how much it holds.
        public struct Configuration: Sendable {
            /// The longest time for which an exchange may stand still, including the making of its connection. On Linux it is rounded up to whole seconds, for
            /// URLSession knows no others there. Default: 60 seconds.
            public var readTimeout = Duration.seconds(60)
            /// How many connections to one origin are open at once. Requests beyond that wait. Default: 64.
            public var maximumConnectionCountPerHost = 64
            /// The longest content of a request that is a stream: URLSession gets it whole. Default: 16 MiB.
            public var maximumRequestBytes = 16 << 20
            /// The most bytes of one response that may have arrived and wait for a reader; an exchange beyond it is broken off. Default: 64 MiB.
            ///
            /// On Apple's systems the origin is made to wait long before that. On Linux nothing can make it wait, so a body that is longer than this needs a
            /// reader that keeps pace, or another transport.
            public var maximumBufferedBytes = 64 << 20

            /// Creates a configuration with the defaults; change the properties afterwards.
            public init() {}
        }
    }

    extension URLSessionTransport.Configuration {
        /// ``readTimeout`` as a session takes it.
        var timeoutInterval: TimeInterval {
            // On Linux a number that is too large stops the process, and the fraction of a second is cut off: half a second would be no time at all.
            let interval = min(readTimeout, .seconds(365 * 86_400)) / .seconds(1)
            #if canImport(FoundationNetworking)
                return interval.rounded(.up)
            #else
                return interval
            #endif
        }

        func validate() throws(TransportError) {
            guard readTimeout > .zero else {
                throw TransportError(.failed, "The setting readTimeout is \(readTimeout); it must be longer than zero.")
            }
            for (name, value) in [
                ("maximumConnectionCountPerHost", maximumConnectionCountPerHost), ("maximumBufferedBytes", maximumBufferedBytes),
            ] where value < 1 {
                throw TransportError(.failed, "The setting \(name) is \(value); it must be at least 1.")
            }
            guard maximumRequestBytes >= 0 else {
                throw TransportError(.failed, "The setting maximumRequestBytes is \(maximumRequestBytes); it must not be negative.")
            }
        }
    }
#endif
