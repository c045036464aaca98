// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The requests of the shop's operator to the server, past all caches.
struct ShopAdmin: Sendable {
    let client: CachingClient
    let url: String

    /// A server that is away refuses at once; a busy machine takes its time.
    private static let timeout = Duration.seconds(60)

    /// The requests for screens that the server has seen; `nil` if it cannot be asked.
    func counts() async -> RequestCounts? {
        let options = RequestOptions(cacheMode: .noStore, timeout: Self.timeout)
        guard
            let response = try? await client.get(url + "/admin/requests", options: options), response.head.status == .ok,
            let body = try? await response.body.collect(upTo: 1 << 10)
        else { return nil }
        return try? JSONDecoder().decode(RequestCounts.self, from: Data(body.readableBytesView))
    }

    /// Changes a price.
    ///
    /// - Returns: Whether the server has done it.
    func setPrice(_ cents: Int, ofProduct id: Int) async -> Bool {
        let response = try? await client.send(
            HTTPRequest(
                method: .post,
                scheme: "http",
                authority: String(url.drop { $0 != "/" }.dropFirst(2)),
                path: "/admin/price",
                headerFields: [.contentType: "application/json"]
            ),
            body: HTTPBody(#"{"product": \#(id), "cents": \#(cents)}"#),
            options: RequestOptions(cacheMode: .noStore, timeout: Self.timeout)
        )
        return response?.head.status == .noContent
    }
}
