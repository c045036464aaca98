// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import NIOCore

/// A way through a `CachingClient`, to a transport that answers at once.
enum ClientWay: String, CaseIterable {
    case transport = "transport alone"
    case hit = "client hit"
    case storedMiss = "client stored miss"
    case notStored = "client no-store"
    case revalidation = "client revalidation"

    func take(_ count: Int) async throws {
        let transport = ImmediateTransport(way: self)
        let client = CachingClient(transport: transport)
        _ = try await client.get("https://example.com/first")
        for number in 0..<count {
            switch self {
            case .transport:
                let request = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/\(number)")
                _ = try await transport.send(request)
            case .hit, .revalidation:
                let response = try await client.get("https://example.com/first")
                guard response.isFromCache else { throw WrongWay(way: rawValue) }
            case .storedMiss, .notStored:
                let response = try await client.get("https://example.com/\(number)")
                guard !response.isFromCache else { throw WrongWay(way: rawValue) }
            }
        }
        let statistics = client.cache.statistics
        let counted: [ClientWay: Int] = [
            .transport: count, .hit: statistics.hits, .storedMiss: statistics.storedResponses - 1, .notStored: statistics.misses - 1,
            .revalidation: statistics.validatedHits,
        ]
        guard counted[self] == count else { throw WrongWay(way: rawValue) }
    }
}

private struct ImmediateTransport: Transport {
    let way: ClientWay
    private let content = ByteBuffer(repeating: 0x61, count: 1_024)

    init(way: ClientWay) { self.way = way }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        if request.headerFields[.ifNoneMatch] != nil {
            return TransportResponse(head: HTTPResponse(status: .notModified, headerFields: [.eTag: "\"1\""]), body: .empty)
        }
        let control =
            switch way {
            case .notStored: "no-store"
            case .revalidation: "no-cache"
            case .transport, .hit, .storedMiss: "max-age=3600"
            }
        let fields: HTTPFields = [.contentType: "text/plain", .contentLength: "1024", .cacheControl: control, .eTag: "\"1\""]
        return TransportResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: HTTPBody(content))
    }
}
