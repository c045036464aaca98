// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import HTTPTypes
internal import HoardHTTP
internal import HoardImages
internal import HoardViews
internal import NIOCore

/// The cost of a screen and of an image that are answered from memory, beside the response that they were made of.
enum MemoryWays {
    static let ways = Ways(
        title: "answered from memory",
        cases: ["response in memory", "screen, kept by HTTP", "screen, kept by its hash", "image of a URL", "image of a key"],
        divisor: 10,
        run: run
    )

    /// Asks so many times for one and the same.
    ///
    /// - Returns: Nanoseconds for each.
    @Sendable private static func run(_ name: String, requests: Int) async throws -> Double {
        let client = CachingClient(transport: ScreenTransport())
        let builder = URLBuilder(baseURL: URL(string: "https://example.com/"))
        let ask: () async throws -> Bool
        switch name {
        case "response in memory":
            ask = { try await client.get("https://example.com/kept").body.collect(upTo: 1 << 20).readableBytes > 0 }
        case "screen, kept by HTTP":
            let views = ViewClient(dependencies: .init(urlBuilder: builder, client: client))
            ask = { try await views.fetch(ViewRequest("/kept")).staleness == nil }
        case "screen, kept by its hash":
            let views = ViewClient(dependencies: .init(urlBuilder: builder, client: client, cache: CacheManager(store: nil)))
            ask = { try await views.fetch(ViewRequest("/hash")).staleness == nil }
        case "image of a URL":
            let images = ImageCache(client: client)
            ask = { try await images.image(for: "https://example.com/image").width == 8 }
        default:
            let images = ImageCache()
            try await images.store(ScreenTransport.image, forKey: "image")
            ask = { try await images.image(forKey: "image")?.width == 8 }
        }
        guard try await ask() else { throw WrongAnswer(way: name) }
        let start = monotonicNanoseconds()
        for _ in 0..<requests {
            guard try await ask() else { throw WrongAnswer(way: name) }
        }
        return Double(monotonicNanoseconds() - start) / Double(requests)
    }

    struct WrongAnswer: Error { let way: String }
}

/// Answers with a screen, or with an image of eight pixels by eight.
private struct ScreenTransport: Transport {
    static let image =
        Data(
            base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mM4kWKEFTEMLQkAVkZXgUFSAJcAAAAASUVORK5CYII="
        ) ?? Data()
    private let date = HTTPDate(Date()).description

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        var fields: HTTPFields = [.cacheControl: "max-age=3600", .date: date]
        let content: ByteBuffer
        if request.path == "/image" {
            content = ByteBuffer(bytes: Self.image)
            fields[.contentType] = "image/png"
        } else {
            content = ByteBuffer(string: #"{"_beagleComponent_": "beagle:text", "text": "Good morning"}"#)
            fields[.contentType] = "application/json"
            if request.path == "/hash", let name = HTTPField.Name("beagle-hash") { fields[name] = "1" }
        }
        fields[.contentLength] = "\(content.readableBytes)"
        return TransportResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: HTTPBody(content))
    }
}
