// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient
    internal import AsyncHTTPClient
    public import HTTPTypes
    public import HoardHTTP
    internal import NIOCore
    internal import NIOSSL

    /// Sends requests with AsyncHTTPClient, over HTTP/1.1.
    ///
    /// ```swift
    /// let transport = AsyncHTTPClientTransport()
    /// let client = CachingClient(transport: transport)
    /// …
    /// await transport.shutdown()
    /// ```
    ///
    /// It sends the request as given: it adds no fields but `Host`, which is the request's authority, and those that frame the content. It follows no
    /// redirects, decodes no content, keeps no cookies and uses no proxy. It leaves out the fields that belong to a connection, since the connections
    /// are its own: `Connection` and the fields it names, `Keep-Alive`, `Proxy-Connection`, `TE`, `Trailer`, `Transfer-Encoding` and `Upgrade`. It
    /// also leaves out fields for a proxy, such as `Proxy-Authorization`, since there is none, and `Expect`, since it sends the content without
    /// waiting.
    ///
    /// Connections are kept for later requests to the same origin. A request that is lost on a kept connection, because the origin closes it at that moment,
    /// is not repeated here: its error says so (``TransportError/mayRetry``), and ``CachingClient`` repeats it if it is idempotent.
    ///
    /// AsyncHTTPClient gives neither interim (1xx) responses nor trailer fields to its users: both are read and dropped.
    public final class AsyncHTTPClientTransport: Transport {
        private let client: HTTPClient
        let configuration: Configuration

        /// Makes a transport with the default settings.
        public init() {
            configuration = Configuration()
            client = HTTPClient(configuration, trustRoots: [])
        }

        /// Makes a transport.
        ///
        /// - Throws: ``TransportError`` if the file of trust roots cannot be read, or a setting makes no sense.
        public init(configuration: Configuration) throws(TransportError) {
            try configuration.validate()
            self.configuration = configuration
            client = HTTPClient(configuration, trustRoots: try NIOSSLCertificate.trustRoots(atPath: configuration.additionalTrustRootsPath))
        }

        deinit {
            // Bodies that are still being read keep the transport until then, for the client ends all exchanges when it is shut down.
            Task { [client] in try? await client.shutdown() }
        }

        /// Sends `request`, whose scheme, authority and path are all present.
        ///
        /// The content of the request is read while it is sent. If its length is not known it is sent in chunks.
        ///
        /// - Returns: The final response, as soon as its head has arrived. Its body is read from the network as it is consumed, can be read once, and
        ///   fails with ``TransportError`` if the origin does not send all of it. Dropping it unread closes the connection.
        /// - Throws: ``TransportError`` if no response head arrived, with a sentence that names host and port.
        public func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            onInterimResponse: InterimResponseHandler?
        ) async throws(TransportError) -> TransportResponse {
            let origin = try Destination(of: request)
            do {
                let response = try await execute(HTTPClientRequest(request, to: origin), body: body)
                return try await TransportResponse(response, to: request, origin: origin, transport: self)
            } catch {
                throw TransportError(error, origin: origin, configuration: configuration)
            }
        }

        private func execute(_ request: HTTPClientRequest, body: HTTPBody) async throws -> HTTPClientResponse {
            var request = request
            if let bytes = body.bytesAtHand {
                // The client itself sends Content-Length: 0 with the methods that usually have content.
                request.body = bytes.readableBytes > 0 ? .bytes(bytes) : nil
                return try await client.execute(request, deadline: .distantFuture)
            }
            let progress = UploadProgress()
            let pacedBody = PacedBody(body, on: client.eventLoopGroup, progress: progress)
            request.body = .stream(pacedBody, length: body.length.map { .known(Int64($0)) } ?? .unknown)
            return try await withThrowingTaskGroup { [client, configuration, request] group in
                group.addTask { try await client.execute(request, deadline: .distantFuture) }
                group.addTask {
                    try await progress.waitUntilStalled(for: configuration.readTimeout)
                    throw HTTPClientError.writeTimeout
                }
                defer { group.cancelAll() }
                guard let response = try await group.next() else { throw CancellationError() }
                return response
            }
        }

        /// Closes the connections and refuses further requests. Exchanges in progress fail. Calling it again is harmless.
        public func shutdown() async {
            try? await client.shutdown()
        }
    }

    extension HTTPClient {
        fileprivate convenience init(_ configuration: AsyncHTTPClientTransport.Configuration, trustRoots: [NIOSSLCertificate]) {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.minimumTLSVersion = .tlsv12
            if !trustRoots.isEmpty { tls.additionalTrustRoots = [.certificates(trustRoots)] }
            var pool = HTTPClient.Configuration.ConnectionPool()
            pool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.maximumConnectionCountPerHost
            // Else a refused connection would be tried again and again until the connect timeout.
            pool.retryConnectionEstablishment = false
            var timeout = HTTPClient.Configuration.Timeout()
            timeout.connect = TimeAmount(configuration.connectTimeout)
            timeout.read = TimeAmount(configuration.readTimeout)
            var client = HTTPClient.Configuration(
                tlsConfiguration: tls,
                redirectConfiguration: .disallow,
                timeout: timeout,
                connectionPool: pool,
                proxy: nil,
                decompression: .disabled
            )
            client.httpVersion = .http1Only
            client.http1_1ConnectionDebugInitializer = { ReusedConnectionHandler.add(to: $0) }
            self.init(eventLoopGroup: configuration.eventLoopGroup ?? HTTPClient.defaultEventLoopGroup, configuration: client)
        }
    }
#endif
