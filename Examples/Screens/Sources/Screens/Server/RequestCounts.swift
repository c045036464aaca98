// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import Synchronization

/// How many requests a server has seen, not counting those for `/admin`.
struct RequestCounts: Codable, Hashable, Sendable, ResponseEncodable {
    var requests = 0
    /// Those of them that were answered with 304.
    var notModified = 0
}

/// Counts all requests but those for `/admin`, also those that find nothing. It outlives a server that is stopped and started again.
final class RequestCounter<Context: RequestContext>: RouterMiddleware {
    private let state = Mutex(RequestCounts())

    var counts: RequestCounts { state.withLock { $0 } }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        guard !request.uri.path.hasPrefix("/admin/") else { return try await next(request, context) }
        state.withLock { $0.requests += 1 }
        let response = try await next(request, context)
        if response.status == .notModified { state.withLock { $0.notModified += 1 } }
        return response
    }
}
