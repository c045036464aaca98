// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    public import HoardHTTP

    #if canImport(FoundationNetworking)
        internal import Foundation
        public import FoundationNetworking
    #else
        public import Foundation
    #endif

    extension URLSessionConfiguration {
        /// The default configuration, with a cache that answers the requests that it can.
        ///
        /// ```swift
        /// let session = URLSession(configuration: .hoard(cache: HTTPCache(stores: [disk])))
        /// ```
        ///
        /// A ``URLSessionTransport`` sends the requests that the cache cannot answer. ``HoardURLProtocol`` describes the
        /// behaviour of a session with a cache. The cache is kept until the process ends; calling this again with it gives
        /// an equal configuration.
        ///
        /// - Parameters:
        ///   - cookieStorage: Where cookies are kept, whatever the configuration says. `nil`: none are sent or kept.
        ///   - isStreaming: Whether the session gets content part by part (``HoardURLProtocol/isStreaming``). `nil`: as the system does best.
        public static func hoard(
            cache: HTTPCache,
            cookieStorage: HTTPCookieStorage? = .shared,
            isStreaming: Bool? = nil
        ) -> URLSessionConfiguration {
            hoard(ClientURLProtocols.shared.client(for: cache), cookieStorage, isStreaming)
        }

        /// The default configuration, with a client that answers `http` and `https` requests.
        ///
        /// The client is kept until the process ends; calling this again with it gives an equal configuration. Its transport must not use a session with this configuration.
        ///
        /// - Parameters:
        ///   - cookieStorage: Where cookies are kept, whatever the configuration says. `nil`: none are sent or kept.
        ///   - isStreaming: Whether the session gets content part by part (``HoardURLProtocol/isStreaming``). `nil`: as the system does best.
        public static func hoard(
            client: CachingClient,
            cookieStorage: HTTPCookieStorage? = .shared,
            isStreaming: Bool? = nil
        ) -> URLSessionConfiguration {
            hoard(client, cookieStorage, isStreaming)
        }

        private static func hoard(_ client: CachingClient, _ cookieStorage: HTTPCookieStorage?, _ isStreaming: Bool?) -> URLSessionConfiguration {
            let configuration = URLSessionConfiguration.default
            configuration.urlCache = nil
            // Or the session would add cookies of its own before the class sees the request.
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            let answering = ClientURLProtocols.shared.protocolClass(
                for: client,
                cookieStorage: cookieStorage,
                isStreaming: isStreaming ?? HoardURLProtocol.isStreaming
            )
            configuration.protocolClasses = [answering] + (configuration.protocolClasses ?? [])
            return configuration
        }
    }
#endif
