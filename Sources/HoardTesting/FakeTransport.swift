// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import HoardHTTP
public import NIOCore
internal import Synchronization

/// A `Transport` without a network: a closure plays the origin.
///
/// ```swift
/// let transport = FakeTransport { request in
///     request.head.path == "/" ? .text("Hello", fields: [.cacheControl: "max-age=60"]) : .text(status: .notFound)
/// }
/// let client = CachingClient(transport: transport)
/// _ = try await client.get("http://example.com/").body.collect(upTo: 100)
/// _ = try await client.get("http://example.com/").body.collect(upTo: 100)
/// #expect(transport.requests.count == 1)
/// ```
///
/// It records the requests that it gets, can keep an answer back until a test releases it (``hold(where:)``), and gives
/// bodies whole, in parts, broken off (``Answer``), or as a test feeds them (``BodyFeed``). It never sleeps.
public final class FakeTransport: Transport {
    /// A request as the origin sees it.
    public struct Request: Hashable, Sendable {
        /// The method, the target and the fields.
        public let head: HTTPRequest
        /// The whole content.
        public let body: ByteBuffer

        /// Creates a request, to compare others with.
        public init(head: HTTPRequest, body: ByteBuffer) {
            self.head = head
            self.body = body
        }
    }

    /// Plays the origin. Called once for each request, outside all locks, concurrently for concurrent requests.
    public typealias Handler = @Sendable (Request) async -> Answer

    private let handler: Handler
    private let state = Mutex(State())

    private struct State: Sendable {
        var requests: [Request] = []
        var holds: [Hold] = []
    }

    /// Creates a transport whose origin is `handler`.
    public init(_ handler: @escaping Handler) {
        self.handler = handler
    }

    /// Creates a transport that cannot reach its origin.
    public convenience init(failingWith error: TransportError) {
        self.init { _ in .failure(error) }
    }

    /// The requests that have come so far, in the order of their arrival.
    ///
    /// A request arrives when the whole of its content has been read.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// Keeps back the answers to requests that come from now on, until the hold is released.
    ///
    /// The handler answers such a request at once; only its answer waits. So the answer is as old as the request:
    /// so a test can act while an answer is on its way.
    ///
    /// - Parameter isHeld: Which requests. By default all.
    public func hold(where isHeld: @escaping @Sendable (Request) -> Bool = { _ in true }) -> Hold {
        let hold = Hold(isHeld)
        state.withLock { $0.holds.append(hold) }
        return hold
    }

    /// Records the request and returns the handler's answer. Suspends until the request's content has been read,
    /// the handler has answered, and no hold keeps the answer back.
    ///
    /// - Throws: The failure that the handler answers; an error with the code `cancelled` if the task is cancelled during a
    ///   hold; one with the code `failed` if the request's content cannot be read.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        let content: ByteBuffer
        do {
            content = try await body.collect(upTo: .max)
        } catch {
            throw TransportError(.failed, "The content of the request broke off.", underlyingError: error)
        }
        let received = Request(head: request, body: content)
        let holds = state.withLock { state in
            state.requests.append(received)
            return state.holds
        }
        let answer = await handler(received)
        for hold in holds where hold.isHeld(received) {
            try await hold.pass()
        }
        for interim in answer.interimResponses {
            await onInterimResponse?(interim)
        }
        return try answer.result.get()
    }
}
