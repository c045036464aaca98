// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardCodings
import HoardHTTP
import HoardNIO
import HoardTransports
import Logging
import NIOCore
import Testing

@testable import HoardProxy

/// Content codings through the proxy, with the short way of plain hits.
@Suite("CachingProxy with codings", .timeLimit(.minutes(5))) struct CachingProxyCodingTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let page = String((0..<300).flatMap { "line \($0) of a page like many others\n" })

    private static func decoded(_ content: ByteBuffer, _ fields: HTTPFields) throws -> String {
        guard let name = fields[.contentEncoding] else { return String(buffer: content) }
        let decoder = try ContentDecoder(codings: [#require(ContentCoding(name: name))])
        var output = ByteBuffer()
        let result = content.withUnsafeReadableBytes { bytes in
            Result { () throws(CodingError) in try decoder.decode(bytes) { part throws(CodingError) in _ = output.writeBytes(part) } }
        }
        try result.get()
        try decoder.finish()
        return String(buffer: output)
    }

    @Test func clientsOfHTTP1And2GetTheFormThatTheyAcceptFromOneStoredResponse() async throws {
        let origin = try await HTTPServer.start { request in
            let isPage = request.head.path != "/image"
            let fields: HTTPFields = [
                .cacheControl: "max-age=600", .contentType: isPage ? "text/html" : "image/png", .eTag: "\"1\"",
                .server: request.head.headerFields[.acceptEncoding] ?? "none",
            ]
            return HTTPServerResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: HTTPBody(Self.page))
        }
        var configuration = CachingProxy.Configuration(origin: try Origin("http://127.0.0.1:\(origin.port)"))
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        configuration.eventLoopCount = 1
        configuration.cache.contentCodings = .init()
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: Self.logger)
        let authority = String(proxy.urls[0].dropFirst("http://".count))
        for version in [NIOTransport.Version.http1, .http2] {
            var settings = NIOTransport.Configuration()
            settings.version = version
            let transport = try NIOTransport(configuration: settings)
            func get(_ path: String, _ accepted: String?) async throws -> (fields: HTTPFields, content: ByteBuffer) {
                var request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: path)
                request.headerFields[.acceptEncoding] = accepted
                let server = try OriginServer(scheme: "http", authority: authority)
                let response = try await transport.send(request, body: .empty, to: server, onNewConnection: false, onInterimResponse: nil)
                let content = try await response.body.collect(upTo: 1 << 20)
                return (response.head.headerFields, content)
            }
            for round in 1...3 {
                for accepted in ["gzip, deflate, br, zstd", "gzip", nil, "zstd", "identity"] as [String?] {
                    let (fields, content) = try await get("/page", accepted)
                    #expect(try Self.decoded(content, fields) == Self.page)
                    #expect((fields[.contentEncoding] == nil) == (accepted == nil || accepted == "identity"))
                    if let name = fields[.contentEncoding] { #expect(fields[.eTag]?.hasSuffix("\"1:\(name)\"") == true) }
                    #expect(fields[.vary] == "Accept-Encoding")
                    // The first one is coded while it arrives.
                    #expect(fields[.contentLength] == "\(content.readableBytes)" || round == 1)
                    let image = try await get("/image", accepted)
                    #expect(image.fields[.contentEncoding] == nil && image.fields[.vary] == nil)
                }
            }
            await transport.shutdown()
        }
        let statistics = proxy.cache.statistics
        #expect(statistics.misses == 2 && statistics.originRequests == 2)
        await proxy.shutdown(gracePeriod: .zero)
        await origin.shutdown(gracePeriod: .zero)
    }
}
