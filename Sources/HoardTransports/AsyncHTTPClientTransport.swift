// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
public import HTTPTypes
public import HoardHTTP
public import NIOCore
internal import NIOHTTP1

public final class AsyncHTTPClientTransport: Transport {
    public struct Configuration: Sendable {
        public var eventLoopGroup: (any EventLoopGroup)?
        public init() {}
    }
    let client: HTTPClient
    public init(configuration: Configuration = .init()) {
        var c = HTTPClient.Configuration()
        c.redirectConfiguration = .disallow
        client = HTTPClient(eventLoopGroupProvider: configuration.eventLoopGroup.map { .shared($0) } ?? .singleton, configuration: c)
    }
    public func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> TransportResponse {
        do {
            var r = HTTPClientRequest(url: "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
            r.method = HTTPMethod(rawValue: request.method.rawValue)
            for f in request.headerFields { r.headers.add(name: f.name.rawName, value: f.value) }
            if let l = body.length, l == 0 {} else { r.body = .stream(body, length: body.length.map { .known(Int64($0)) } ?? .unknown) }
            let response = try await client.execute(r, timeout: .seconds(60))
            var head = HTTPResponse(status: .init(code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase))
            for (n, v) in response.headers { if let n = HTTPField.Name(n) { head.headerFields.append(HTTPField(name: n, value: v)) } }
            let length = response.headers.first(name: "content-length").flatMap { Int($0) }
            return TransportResponse(
                head: head,
                body: HTTPBody(response.body, length: request.method == .head || head.status == .notModified ? 0 : length)
            )
        } catch {
            throw TransportError(.cannotConnect, "Cannot connect to \(request.authority ?? ""): \(error)", underlyingError: error)
        }
    }
    public func shutdown() async { try? await client.shutdown() }
    deinit { let client = client; client.shutdown { _ in withExtendedLifetime(client) {} } }
}
