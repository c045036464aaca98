// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import HoardHTTP
package import HoardNIO

/// Runs a server on a free port, and shuts it down when `body` is done with it.
package func withServer(
    _ configuration: HTTPServer.Configuration = .init(),
    handler: @escaping HTTPServer.Handler,
    body: (HTTPServer) async throws -> Void
) async throws {
    let server = try await HTTPServer.start(configuration, handler: handler)
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(server))
    } catch {
        result = .failure(error)
    }
    await server.shutdown(gracePeriod: .zero)
    try result.get()
}

extension HTTPServerResponse {
    package static func text(_ text: String, _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]) -> HTTPServerResponse {
        HTTPServerResponse(head: HTTPResponse(status: status, headerFields: fields), body: HTTPBody(text))
    }
}
