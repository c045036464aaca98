// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import Logging

@testable import HoardProxy

/// A proxy with rules from a file, in front of an origin that keeps its requests.
struct RuledSite {
    let proxy: CachingProxy
    let origin: HTTPServer
    /// The requests that the origin got.
    let asked: Shared<[HTTPRequest]>

    /// - Parameters:
    ///   - routes: Lines of YAML; `ORIGIN` in them stands for the origin's URL.
    ///   - fields: The fields of the origin's responses.
    static func with(
        _ routes: String,
        fields: HTTPFields = [.cacheControl: "max-age=60", .server: "origin", .contentType: "text/plain"],
        body: (RuledSite) async throws -> Void
    ) async throws {
        let asked = Shared<[HTTPRequest]>([])
        let handler: HTTPServer.Handler = { request in
            asked.update { $0.append(request.head) }
            return .text("\(request.head.path ?? "")", .ok, fields)
        }
        try await withServer(handler: handler) { origin in
            let text = "listen: 127.0.0.1:0\n" + routes.replacing("ORIGIN", with: "http://127.0.0.1:\(origin.port)")
            let configuration = try ProxySettings(.init(file: ("hoard.yaml", text))).configuration()
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: logger)
            let result: Result<Void, any Error>
            do { result = .success(try await body(RuledSite(proxy: proxy, origin: origin, asked: asked))) } catch { result = .failure(error) }
            await proxy.shutdown(gracePeriod: .zero)
            try result.get()
        }
    }

    /// The answer to one request on a connection of its own.
    func get(_ target: String, host: String = "a.example", _ fields: String = "", method: String = "GET") async throws -> RawResponse {
        let client = try await RawClient.connect(port: proxy.server.port)
        try await client.send("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n")
        let response = try await client.receiveResponse(toHead: method == "HEAD")
        try await client.close()
        return response
    }
}
