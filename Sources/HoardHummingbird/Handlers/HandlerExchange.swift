// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Synchronization

/// One request's way through the cache to its handler and back.
///
/// An error of the handler is either thrown or logged, never both. It is thrown to the caller of the middleware if that waits for this handler's answer. It is
/// logged if a stale response stands in for it, or if the handler ran in the background.
final class HandlerExchange: Sendable {
    /// A request that the handler has got before the cache wanted to send one.
    struct Sent: Sendable {
        let miss: HTTPCache.EarlyMiss
        let outcome: @Sendable () async -> Result<TransportResponse, TransportError>
    }

    private struct State {
        var thrownError: (any Error)?
        var failure: (any Error)?
        var isFinished = false
        /// The values of `Vary` as the handler has written them, if something else was shown to the cache.
        var vary: [String]?
        /// The request that was sent before the ordinary way began.
        var sent: Sent?
    }

    private let request: Request
    private let target: CacheTarget
    private let mode: CacheMode
    private let logger: Logger
    private let state = Mutex(State())

    init(_ request: Request, _ target: CacheTarget, mode: CacheMode, logger: Logger) {
        self.request = request
        self.target = target
        self.mode = mode
        self.logger = logger
    }

    // MARK: Request

    var method: HTTPRequest.Method { request.method }

    /// The request for the handler.
    ///
    /// - Parameters:
    ///   - forwarded: As the cache wants it asked.
    ///   - body: The content of the client's request as the cache has it.
    /// - Returns: `nil` if this handler is not the one to be asked: that of `HEAD` may know nothing of the content that `GET` would get.
    func request(for forwarded: HTTPRequest, _ body: HTTPBody) -> Request? {
        guard forwarded.method == request.method else { return nil }
        var head = forwarded
        if !target.isExact { head.path = request.head.path }
        var handled = Request(head: head, body: request.body)
        // Content that was announced as empty stays empty, whatever follows: it must not change the responses that others get.
        if request.contentForCache.length == 0 { handled.body = RequestBody(buffer: ByteBuffer()) }
        // The cache has read it.
        if request.method == .query { handled.body = body.bytesAtHand.map { RequestBody(buffer: $0) } ?? RequestBody(asyncSequence: body) }
        return handled
    }

    // MARK: Answer

    /// The outcome of running the handler as the cache gets it.
    func received(_ outcome: HandlerOutcome) -> Result<TransportResponse, TransportError> {
        switch outcome {
        case .answer(let answer):
            return .success(received(answer))
        case .failed(let error):
            failed(error)
            return .failure(TransportError(.failed, "The handler failed.", underlyingError: error))
        case .cancelled:
            return .failure(TransportError(.cancelled, "The handler was cancelled."))
        }
    }

    /// Keeps a request that has been sent already, for the first time that the cache wants to send one.
    func keep(_ sent: Sent) { state.withLock { $0.sent = sent } }

    /// Stands for the request that has been sent already, until that is taken.
    var sentMiss: HTTPCache.EarlyMiss? { state.withLock { $0.sent?.miss } }

    /// The request that has been sent already. It is given once.
    func takeSent() -> Sent? { state.withLock { $0.sent.take() } }

    private func received(_ answer: HandlerOutcome.Answer) -> TransportResponse {
        var response = TransportResponse(answer.response, content: answer.content, isRead: answer.error == nil, to: request.method)
        if let tags = answer.notes?.tags, !tags.isEmpty {
            response.head.headerFields.append(HTTPField(name: .cacheTag, value: tags.sorted().joined(separator: ", ")))
        }
        let prevents = answer.notes?.preventsStoring == true || isForOneUser(response.head.headerFields)
        state.withLock { state in
            state.thrownError = answer.error
            state.vary = prevents ? response.head.headerFields[values: .vary] : nil
        }
        // A cache can answer no other request with such a response.
        if prevents { response.head.headerFields[.vary] = "*" }
        return response
    }

    /// Whether a response sets a cookie, and does not say that it is for all clients.
    ///
    /// RFC 9111 §7.3 leaves that to the origin. Here the origin is a handler, whose cookies may be those of a middleware that it knows nothing of.
    private func isForOneUser(_ fields: HTTPFields) -> Bool {
        guard mode == .shared, fields.contains(.setCookie) else { return false }
        let directives = CacheControl(response: fields)
        return !directives.isPublic && directives.sharedMaxAge == nil
    }

    /// Gives a head that the handler has just made the fields back that were not shown to the cache.
    func restore(_ head: inout HTTPResponse) {
        guard let vary = state.withLock({ $0.vary }) else { return }
        head.headerFields[values: .vary] = vary
    }

    /// The error that the handler has thrown as its answer.
    var thrownError: (any Error)? { state.withLock { $0.thrownError } }

    // MARK: Failures

    private func failed(_ error: any Error) {
        let isFinished = state.withLock { state in
            if !state.isFinished { state.failure = error }
            return state.isFinished
        }
        if isFinished { log(error) }
    }

    /// The request has been answered.
    func finish() {
        let failure = state.withLock { state in
            state.isFinished = true
            return state.failure.take()
        }
        if let failure { log(failure) }
    }

    /// Returns the error for a request to which the cache has no answer. Called instead of ``finish()``.
    func errorToThrow(for error: HTTPCacheError) -> any Error {
        state.withLock { state in
            state.isFinished = true
            state.failure = nil
        }
        switch error.transportError {
        case let failure?: return failure.underlyingError ?? (failure.code == .cancelled ? CancellationError() : HTTPError(.internalServerError))
        case nil: return HTTPError(.badRequest, message: error.message)
        }
    }

    private func log(_ error: any Error) {
        logger.warning("A handler failed, and a stored response stood in.", metadata: ["error.type": "\(type(of: error))"])
    }
}
