// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import HTTPTypes
internal import HoardHTTP
internal import NIOCore

/// The cost of a request through a `CachingClient`, by the way that it takes. The transport answers at once with 1 KiB.
enum ClientWays {
    /// The transport alone comes first: it is part of each but the hit.
    static let ways = Ways(
        title: "request through a client",
        cases: ["transport alone", "hit", "stored miss", "no-store"],
        isDifference: true,
        divisor: 10,
        run: run
    )

    /// Sends so many requests in one of the ways.
    ///
    /// - Returns: Nanoseconds for each.
    @Sendable private static func run(_ name: String, requests: Int) async throws -> Double {
        let transport = ImmediateTransport()
        let client = CachingClient(transport: transport)
        if name == "hit" { _ = try await client.get("https://example.com/hit/0").body.collect(upTo: 1 << 20) }
        let start = monotonicNanoseconds()
        for number in 0..<requests {
            let body: HTTPBody
            switch name {
            case "transport alone":
                body = try await transport.send(
                    HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/no-store/\(number)")
                ).body
            case "hit": body = try await client.get("https://example.com/hit/0").body
            case "stored miss": body = try await client.get("https://example.com/stored/\(number)").body
            default: body = try await client.get("https://example.com/no-store/\(number)").body
            }
            guard try await body.collect(upTo: 1 << 20).readableBytes == ImmediateTransport.length else { throw WrongLength(way: name) }
        }
        return Double(monotonicNanoseconds() - start) / Double(requests)
    }

    struct WrongLength: Error { let way: String }
}

/// Answers every request at once. Its responses to paths that begin with `/no-store` must not be stored.
private struct ImmediateTransport: Transport {
    static let length = 1_024
    private let content = ByteBuffer(repeating: 0x61, count: length)
    private let date = HTTPDate(Date()).description

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        let isStored = request.path?.hasPrefix("/no-store") != true
        let head = HTTPResponse(
            status: .ok,
            headerFields: [
                .contentType: "text/plain; charset=utf-8",
                .contentLength: "\(Self.length)",
                .cacheControl: isStored ? "max-age=3600" : "no-store",
                .date: date,
            ]
        )
        return TransportResponse(head: head, body: HTTPBody(content))
    }
}
