// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardImages
import HoardViews
import NIOCore

/// A thing that an app shows, answered from memory.
enum AppWay: String, CaseIterable {
    case screen = "screen in memory"
    case image = "image in memory"

    /// A PNG of one pixel.
    private static let pixel =
        Data(base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mM4kWIEAANWAV/W6lf+AAAAAElFTkSuQmCC") ?? Data()

    func take(_ count: Int) async throws {
        let client = CachingClient(transport: ScreenTransport())
        switch self {
        case .screen:
            let views = ViewClient(dependencies: .init(urlBuilder: URLBuilder(baseURL: URL(string: "https://example.com/")), client: client))
            for _ in 0...count { _ = try await views.fetch(ViewRequest("/screen")) }
            guard views.statistics.memoryHits == count else { throw WrongWay(way: rawValue) }
        case .image:
            let images = ImageCache(client: client)
            try await images.store(Self.pixel, forKey: "image")
            for _ in 0...count { _ = try await images.image(forKey: "image") }
            guard images.statistics.memoryHits == count else { throw WrongWay(way: rawValue) }
        }
    }
}

private struct ScreenTransport: Transport {
    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        let content = ByteBuffer(string: #"{"_beagleComponent_": "beagle:text", "text": "Good morning"}"#)
        let fields: HTTPFields = [.contentType: "application/json", .contentLength: "\(content.readableBytes)", .cacheControl: "max-age=3600"]
        return TransportResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: HTTPBody(content))
    }
}
