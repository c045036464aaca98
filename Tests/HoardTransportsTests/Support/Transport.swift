// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardTransports
internal import NIOCore

/// Makes a transport, and shuts it down when `body` is done with it.
func withTransport(
    _ change: (inout AsyncHTTPClientTransport.Configuration) -> Void = { _ in },
    body: (AsyncHTTPClientTransport) async throws -> Void
) async throws {
    var configuration = AsyncHTTPClientTransport.Configuration()
    change(&configuration)
    let transport = try AsyncHTTPClientTransport(configuration: configuration)
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(transport))
    } catch {
        result = .failure(error)
    }
    await transport.shutdown()
    try result.get()
}

extension HTTPRequest {
    static func get(_ path: String = "/", port: Int, scheme: String = "http", _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: scheme, authority: "127.0.0.1:\(port)", path: path, headerFields: fields)
    }

    static func post(_ path: String = "/", port: Int, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:\(port)", path: path, headerFields: fields)
    }
}

extension TransportResponse {
    /// The whole body as text.
    func text() async throws -> String {
        String(buffer: try await body.collect(upTo: 1_000_000))
    }
}

extension AsyncHTTPClientTransport {
    /// The whole content of the response to a request without content.
    func text(_ request: HTTPRequest) async throws -> String {
        try await send(request, body: .empty).text()
    }
}
