// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardTransports
internal import NIOCore

/// The transports whose behaviour is the same.
enum TransportKind: CaseIterable {
    case asyncHTTPClient
    case nio

    func make(_ settings: TransportSettings = TransportSettings()) throws(TransportError) -> any ClosableTransport {
        switch self {
        case .asyncHTTPClient:
            var configuration = AsyncHTTPClientTransport.Configuration()
            configuration.connectTimeout = settings.connectTimeout
            configuration.readTimeout = settings.readTimeout
            configuration.maximumConnectionCountPerHost = settings.maximumConnectionCountPerHost
            configuration.additionalTrustRootsPath = settings.additionalTrustRootsPath
            return try AsyncHTTPClientTransport(configuration: configuration)
        case .nio:
            var configuration = NIOTransport.Configuration()
            configuration.connectTimeout = settings.connectTimeout
            configuration.readTimeout = settings.readTimeout
            configuration.maximumConnectionCountPerHost = settings.maximumConnectionCountPerHost
            configuration.additionalTrustRootsPath = settings.additionalTrustRootsPath
            return try NIOTransport(configuration: configuration)
        }
    }
}

/// The settings that the transports share.
struct TransportSettings {
    // On a busy machine everything takes long.
    var connectTimeout = Duration.seconds(120)
    var readTimeout = Duration.seconds(120)
    var maximumConnectionCountPerHost = 64
    var additionalTrustRootsPath: String?
}

protocol ClosableTransport: Transport {
    func shutdown() async
}

extension AsyncHTTPClientTransport: ClosableTransport {}
extension NIOTransport: ClosableTransport {}

/// Makes a transport, and shuts it down when `body` is done with it.
func withTransport(
    _ kind: TransportKind,
    _ change: (inout TransportSettings) -> Void = { _ in },
    body: (any ClosableTransport) async throws -> Void
) async throws {
    var settings = TransportSettings()
    change(&settings)
    let transport = try kind.make(settings)
    try await close(transport, after: await Result { try await body(transport) })
}

/// Makes a transport with settings of its own, and shuts it down when `body` is done with it.
func withNIOTransport(
    _ change: (inout NIOTransport.Configuration) -> Void = { _ in },
    body: (NIOTransport) async throws -> Void
) async throws {
    var configuration = NIOTransport.Configuration()
    configuration.connectTimeout = TransportSettings().connectTimeout
    configuration.readTimeout = TransportSettings().readTimeout
    change(&configuration)
    let transport = try NIOTransport(configuration: configuration)
    try await close(transport, after: await Result { try await body(transport) })
}

private func close(_ transport: any ClosableTransport, after result: Result<Void, any Error>) async throws {
    await transport.shutdown()
    try result.get()
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
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

extension Transport {
    /// The whole content of the response to a request without content.
    func text(_ request: HTTPRequest) async throws -> String {
        try await send(request, body: .empty).text()
    }
}
