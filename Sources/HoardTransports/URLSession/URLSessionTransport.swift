// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    public import HTTPTypes
    public import HoardHTTP
    internal import NIOCore
    internal import Synchronization

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    /// Sends requests with Foundation's URLSession: for apps, and wherever the system's own settings for the network are to hold.
    ///
    /// ```swift
    /// let transport = URLSessionTransport()
    /// let client = CachingClient(transport: transport)
    /// …
    /// transport.shutdown()
    /// ```
    ///
    /// The session has no cache, no cookies and no stored credentials, and follows no redirects. URLSession stands between this transport and HTTP, though,
    /// and some things cannot be had from it:
    ///
    /// - It adds `Accept`, `Accept-Language` and `User-Agent` where the request has none, and `Content-Type` to content without any.
    /// - It decodes content by itself and does not say so. So `Accept-Encoding` is always `identity`. If an origin sends content with a coding
    ///   nevertheless, the fields about the bytes on the wire (`Content-Encoding`, `Content-Length`, digests) are left out of the response. Its `ETag`
    ///   becomes a weak one, because it named other bytes. A part (206) of such content is an error.
    /// - The order of the fields of a response is lost, and fields of one name are one field. Several `Set-Cookie` are taken apart again.
    /// - There are no interim (1xx) responses and no trailer fields.
    /// - A path with dot segments (`/a/../b`) would be changed on its way, and is refused. ``HTTPCache`` never sends one. So is a method that Foundation takes for
    ///   another, such as `get` for `GET`.
    /// - A request that is lost on a kept connection may be sent again by URLSession itself; its error never asks for that.
    /// - On Linux nothing slows an origin down: unread content is held, up to ``Configuration/maximumBufferedBytes``. There, a task that is suspended and
    ///   resumed starts its request anew, so it is never suspended. An exchange that no reader wants any more ends there when the origin pauses for the
    ///   first time.
    public final class URLSessionTransport: Transport {
        private let configuration: Configuration
        private let delegate: SessionDelegate
        /// `nil` after the shutdown: a session that has been invalidated stops the process if it is given another task.
        private let session: Mutex<URLSession?>

        /// Makes a transport with the default settings.
        public convenience init() {
            self.init(checked: Configuration())
        }

        /// Makes a transport.
        ///
        /// - Throws: ``TransportError`` if a setting makes no sense.
        public convenience init(configuration: Configuration) throws(TransportError) {
            try configuration.validate()
            self.init(checked: configuration)
        }

        init(checked configuration: Configuration) {
            self.configuration = configuration
            let delegate = SessionDelegate()
            self.delegate = delegate
            self.session = Mutex(URLSession(configuration: .forTransport(configuration), delegate: delegate, delegateQueue: .serial()))
        }

        deinit {
            // Bodies that are still being read go on.
            session.withLock { $0 }?.finishTasksAndInvalidate()
        }

        /// Sends `request`, whose scheme, authority and path are all present.
        ///
        /// - Parameter onInterimResponse: Never called.
        /// - Returns: The final response, as soon as its head has arrived. Its body can be read once, and fails with ``TransportError`` if the origin does not
        ///   send all of it. Dropping it ends the exchange.
        /// - Throws: ``TransportError`` if no response head arrived, with a sentence that names host and port.
        public func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            onInterimResponse: InterimResponseHandler?
        ) async throws(TransportError) -> TransportResponse {
            let origin = try Destination(of: request)
            var urlRequest = try URLRequest(request, to: origin)
            let content = try await content(of: body, for: origin)
            // An empty body, unlike none, makes URLSession send a length.
            if !content.isEmpty || [.post, .put, .patch].contains(request.method) { urlRequest.httpBody = content }
            let exchange = SessionExchange(origin: origin, maximumBufferedBytes: configuration.maximumBufferedBytes)
            let task = session.withLock { [urlRequest] session in
                let task = session?.dataTask(with: urlRequest)
                if let task { delegate.add(exchange, for: task) }
                return task
            }
            guard let task else {
                throw TransportError(.failed, TransportError.shutDownMessage(origin))
            }
            let response = try await exchange.start(task)
            return try TransportResponse(response, to: request, origin: origin, exchange: exchange)
        }

        private func content(of body: HTTPBody, for origin: Destination) async throws(TransportError) -> Data {
            let content: ByteBuffer
            do {
                content = try await body.collect(upTo: configuration.maximumRequestBytes)
                // A sequence whose reader is cancelled may end as if it were complete.
                try Task.checkCancellation()
            } catch let error as HTTPBodyTooLargeError {
                throw TransportError(
                    .failed,
                    "The content of the request to \(origin.name) is longer than maximumRequestBytes, \(error.maximumByteCount) bytes.",
                    underlyingError: error
                )
            } catch is CancellationError {
                throw TransportError(.cancelled, at: origin)
            } catch {
                throw TransportError(.failed, "The content of the request to \(origin.name) broke off.", underlyingError: error)
            }
            guard body.length ?? content.readableBytes == content.readableBytes else {
                throw TransportError(.failed, "The content of the request to \(origin.name) is not as long as it said.")
            }
            return Data(content.readableBytesView)
        }

        /// Closes the connections and refuses further requests. Exchanges in progress fail. Calling it again is harmless.
        public func shutdown() {
            let session = session.withLock { session in
                defer { session = nil }
                return session
            }
            session?.invalidateAndCancel()
        }
    }

    extension URLSessionConfiguration {
        fileprivate static func forTransport(_ configuration: URLSessionTransport.Configuration) -> URLSessionConfiguration {
            let session = URLSessionConfiguration.ephemeral
            session.urlCache = nil
            session.requestCachePolicy = .reloadIgnoringLocalCacheData
            session.httpCookieStorage = nil
            session.httpShouldSetCookies = false
            session.httpCookieAcceptPolicy = .never
            session.urlCredentialStorage = nil
            session.httpMaximumConnectionsPerHost = configuration.maximumConnectionCountPerHost
            session.timeoutIntervalForRequest = configuration.timeoutInterval
            #if canImport(Darwin)
                session.waitsForConnectivity = false
                session.tlsMinimumSupportedProtocolVersion = .TLSv12
            #endif
            return session
        }
    }

    extension OperationQueue {
        /// The queue on which the session calls its delegate: one call after the other.
        fileprivate static func serial() -> OperationQueue {
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return queue
        }
    }
#endif
