// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import HoardHTTP
internal import HoardNIO
internal import Synchronization

/// A real HTTP/1.1 server on loopback that answers as a test says, and remembers the requests.
///
/// ```swift
/// let origin = try await FakeOrigin.start { request, body in
///     FakeOrigin.Response("hello", fields: [.cacheControl: "max-age=60"])
/// }
/// let (head, body) = try await get(origin.url)   // with any client
/// #expect(origin.requests.count == 1)
/// await origin.stop()
/// ```
///
/// For tests that need no socket there is `FakeTransport`.
public final class FakeOrigin: Sendable {
    /// The response of a handler.
    public struct Response: Sendable {
        /// The status and the fields.
        public var head: HTTPResponse
        /// The content.
        public var body: HTTPBody
        /// The interim (1xx) responses that are sent before it, but for 100 and 101. Default: none.
        public var interimResponses: [HTTPResponse] = []

        /// Creates a response.
        public init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: HTTPBody = .empty) {
            self.head = HTTPResponse(status: status, headerFields: fields)
            self.body = body
        }

        /// A response of this text.
        public init(_ text: String, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:]) {
            self.init(status: status, fields: fields, body: HTTPBody(text))
        }
    }

    /// Gets the request's head and body, and answers it. Runs for many requests at once.
    public typealias Handler = @Sendable (HTTPRequest, HTTPBody) async -> Response

    private let server: HTTPServer
    private let log: RequestLog

    private init(server: HTTPServer, log: RequestLog) {
        self.server = server
        self.log = log
    }

    /// Starts an origin.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0, the default, takes any that is free.
    ///   - handler: Answers requests.
    /// - Throws: An error with a sentence, if the port cannot be had.
    public static func start(port: Int = 0, _ handler: @escaping Handler) async throws -> FakeOrigin {
        let log = RequestLog()
        let server = try await HTTPServer.start(.init(port: port)) { request in
            log.add(request.head)
            let response = await handler(request.head, request.body)
            for interim in response.interimResponses { await request.sendInterimResponse(interim) }
            return HTTPServerResponse(head: response.head, body: response.body)
        }
        return FakeOrigin(server: server, log: log)
    }

    /// The port the origin listens on.
    public var port: Int { server.port }

    /// The origin's URL, without a slash at its end.
    public var url: String { "http://127.0.0.1:\(server.port)" }

    /// The heads of the requests so far, in the order in which they came.
    public var requests: [HTTPRequest] { log.requests }

    /// Closes all connections and stops listening.
    public func stop() async {
        await server.shutdown(gracePeriod: .zero)
    }
}

private final class RequestLog: Sendable {
    private let heads = Mutex<[HTTPRequest]>([])

    var requests: [HTTPRequest] { heads.withLock { $0 } }

    func add(_ head: HTTPRequest) {
        heads.withLock { $0.append(head) }
    }
}
