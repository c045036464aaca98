// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import Hummingbird
internal import NIOCore

/// The outcome of running a handler.
enum HandlerOutcome: Sendable {
    struct Answer: Sendable {
        let response: Response
        /// The content of the response, if it is at hand.
        var content: ByteBuffer?
        /// The error that the handler has thrown, if the response stands for one, such as `HTTPError(.notFound)`.
        var error: (any Error)?
        /// The handler's notes.
        var notes: HTTPCacheNotes?
    }

    case answer(Answer)
    /// The handler has failed.
    case failed(any Error)
    /// The handler's task was cancelled, or there is no handler any more.
    case cancelled

    /// Runs a handler.
    static func of<Context: RequestContext>(
        _ request: Request,
        _ context: Context,
        _ handler: (Request, Context) async throws -> Response
    ) async -> HandlerOutcome {
        do {
            return .answer(Answer(response: try await handler(request, context), notes: context.cacheNotesIfAny))
        } catch is CancellationError {
            return .cancelled
        } catch let error as any HTTPResponseError {
            // The statuses that RFC 5861 §4 calls errors: a stale response may stand in for them.
            if [500, 502, 503, 504].contains(error.status.code) { return .failed(error) }
            guard let response = try? error.response(from: request, context: context) else { return .failed(error) }
            // The body has no reader if the error itself is thrown, and a body without a reader is stored only if it is at hand.
            let content = await response.body.shortContent()
            return .answer(Answer(response: response, content: content, error: error, notes: context.cacheNotesIfAny))
        } catch {
            return .failed(error)
        }
    }
}
