// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    internal import HTTPTypes
    internal import Hoard
    internal import HoardHTTP
    internal import NIOCore
    internal import Synchronization

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    /// One load of a session through a client: the request is sent or answered from the cache, and the receiver is told of
    /// the response and its content.
    final class URLProtocolLoad: Sendable {
        private struct State {
            var work: Task<Void, Never>?
            var isStopped = false
            var isLate = false
            var deadline: DeadlineQueue.Token?
        }

        private static let ticker = MonotonicTicker()
        private static let deadlines = DeadlineQueue(ticker: ticker)
        /// The longest content that a receiver gets in one part.
        private static let maximumWholeByteCount = 1 << 31
        /// Content that is sent at once.
        private static let shortByteCount = 64 << 10

        private let request: ProtocolRequest
        let receiver: LoadReceiver
        private let client: CachingClient
        private let cookieStorage: HTTPCookieStorage?
        private let isStreaming: Bool
        private let state = Mutex(State())

        init(_ request: ProtocolRequest, for receiver: LoadReceiver, client: CachingClient, cookieStorage: HTTPCookieStorage?, isStreaming: Bool) {
            self.request = request
            self.receiver = receiver
            self.client = client
            self.cookieStorage = request.handlesCookies ? cookieStorage : nil
            self.isStreaming = isStreaming
        }

        func start() {
            let work = Task {
                do {
                    try await run()
                } catch {
                    setDeadline(nil)
                    let isLate = state.withLock(\.isLate)
                    receiver.fail(
                        isLate ? URLError(.timedOut, "Nothing came for \(request.timeout).", url: request.url) : URLError(error, url: request.url)
                    )
                }
            }
            let isStopped = state.withLock { state in
                state.work = work
                return state.isStopped
            }
            if isStopped { work.cancel() }
        }

        /// Ends the load. The receiver passes nothing on from now on. To be called where the session stops the protocol.
        func stop() {
            receiver.stop()
            let work = state.withLock { state in
                state.isStopped = true
                return state.work
            }
            work?.cancel()
        }

        private func run() async throws {
            let response = try await response()
            if request.options.cacheMode == .onlyIfCached, !response.isFromCache, response.head.status == .gatewayTimeout {
                throw URLError(.resourceUnavailable, "Nothing stored answers the request, which asks for nothing else.", url: request.url)
            }
            guard let url = URL(string: response.url),
                let head = HTTPURLResponse(response.head, url: response.redirectCount == 0 ? request.url : url)
            else { throw URLError(.badServerResponse) }
            if !response.isFromCache { cookieStorage?.keep(response.head.headerFields[values: .setCookie], from: url) }
            #if canImport(Darwin)
                if let next = try request.redirected(by: response.head) {
                    setDeadline(nil)
                    return receiver.redirect(to: next, by: head)
                }
            #endif
            receiver.receive(head)
            try await deliver(response.body)
            setDeadline(nil)
            receiver.finish()
        }

        /// The response to the request, with the credentials of the session's delegate if the origin asks for some.
        private func response() async throws -> ClientResponse {
            var head = request.head
            if head.headerFields[.cookie] == nil, let cookies = cookieStorage?.header(for: request.url) { head.headerFields[.cookie] = cookies }
            #if canImport(Darwin)
                var attempts = 0
                while true {
                    let response = try await send(head)
                    // Content that was a stream has been sent, and cannot be sent again.
                    guard request.body.bytesAtHand != nil, let challenge = BasicChallenge(response, at: request.url) else { return response }
                    setDeadline(nil)
                    guard let authorization = try await challenge.answer(after: attempts, asking: receiver) else { return response }
                    head.headerFields[.authorization] = authorization
                    attempts += 1
                }
            #else
                return try await send(head)
            #endif
        }

        /// While long content is sent, nothing comes. Until the head of the response has come, the transport's own limits hold then.
        private func send(_ head: HTTPRequest) async throws -> ClientResponse {
            if let length = request.body.length, length <= Self.shortByteCount { restartDeadline() }
            return try await client.send(head, body: request.body, options: request.options)
        }

        private func deliver(_ body: HTTPBody) async throws {
            // The head has come.
            restartDeadline()
            var whole = Data()
            if !isStreaming, let length = body.length { whole.reserveCapacity(min(length, 1 << 20)) }
            for try await part in body {
                restartDeadline()
                if isStreaming {
                    receiver.receive(Data(part.readableBytesView))
                } else {
                    guard whole.count + part.readableBytes <= Self.maximumWholeByteCount else { throw URLError(.dataLengthExceedsMaximum) }
                    whole.append(contentsOf: part.readableBytesView)
                }
            }
            if !whole.isEmpty { receiver.receive(whole) }
        }

        // MARK: Time

        private func restartDeadline() {
            let end = Self.ticker.nanoseconds().addingSaturated(request.timeout.saturatingNanoseconds)
            setDeadline(
                Self.deadlines.schedule(at: end) { [weak self] in
                    let work = self?.state.withLock { state in
                        state.isLate = true
                        return state.work
                    }
                    work?.cancel()
                }
            )
        }

        private func setDeadline(_ token: DeadlineQueue.Token?) {
            let last = state.withLock { state in
                defer { state.deadline = token }
                return state.deadline
            }
            if let last { Self.deadlines.cancel(last) }
        }
    }

    extension HTTPCookieStorage {
        /// The value of `Cookie`: [RFC 6265 §5.4](https://www.rfc-editor.org/rfc/rfc6265#section-5.4).
        fileprivate func header(for url: URL) -> String? {
            // On Linux the storage looks at the host alone.
            let path = url.path.isEmpty ? "/" : url.path
            let cookies = (cookies(for: url) ?? []).filter { cookie in
                (!cookie.isSecure || url.scheme?.lowercased() == "https")
                    && (path == cookie.path || path.hasPrefix(cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"))
            }
            guard !cookies.isEmpty else { return nil }
            return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
        }

        fileprivate func keep(_ values: [String], from url: URL) {
            for value in values {
                setCookies(HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url), for: url, mainDocumentURL: nil)
            }
        }
    }
#endif
