// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import Hummingbird
internal import NIOCore

/// What has come of running a handler.
enum HandlerOutcome: Sendable {
    struct Answer: Sendable {
        let response: Response
        /// The content of the response, if it is at hand.
        var content: ByteBuffer?
        /// What the handler has thrown, if the response stands for that: `HTTPError(.notFound)`.
        var error: (any Error)?
        /// What the handler has noted.
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
            // What RFC 5861 §4 calls errors, for which a stale response may stand in.
            if [500, 502, 503, 504].contains(error.status.code) { return .failed(error) }
            guard let response = try? error.response(from: request, context: context) else { return .failed(error) }
            // Nobody reads it if the error itself is thrown, and what nobody reads is not stored unless it is at hand.
            let content = await response.body.shortContent()
            return .answer(Answer(response: response, content: content, error: error, notes: context.cacheNotesIfAny))
        } catch {
            return .failed(error)
        }
    }
}
