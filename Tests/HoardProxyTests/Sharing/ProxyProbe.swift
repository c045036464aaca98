// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTransports
import NIOCore

/// A client of one server, without a cache.
struct ProxyProbe: Sendable {
    struct Reply: Sendable {
        let head: HTTPResponse
        let content: ByteBuffer

        var status: Int { head.status.code }
        var text: String { String(buffer: content) }
        var cacheStatus: String { head.headerFields[.cacheStatus] ?? "" }
        /// Whether it was answered without asking the origin.
        var isHit: Bool { cacheStatus.contains("; hit") }

        /// The content as an object of JSON.
        var json: [String: any Sendable] {
            get throws { try JSONSerialization.jsonObject(with: Data(content.readableBytesView)) as? [String: any Sendable] ?? [:] }
        }
    }

    private let transport = NIOTransport()
    private let authority: String

    init(_ url: String) {
        authority = String(url.dropFirst("http://".count))
    }

    func send(_ method: HTTPRequest.Method = .get, _ path: String, _ fields: HTTPFields = [:], body: String = "") async throws -> Reply {
        let request = HTTPRequest(method: method, scheme: "http", authority: authority, path: path, headerFields: fields)
        let content: HTTPBody = body.isEmpty ? .empty : HTTPBody(body)
        let response = try await transport.send(request, body: content, onInterimResponse: nil)
        return Reply(head: response.head, content: try await response.body.collect(upTo: 64 << 20))
    }

    /// Whether the server has something fresh for a path. Its origin is not asked.
    func isCached(_ path: String, _ fields: HTTPFields = [:]) async throws -> Bool {
        var fields = fields
        fields[.cacheControl] = "only-if-cached"
        return try await send(.get, path, fields).isHit
    }

    func stop() async { await transport.shutdown() }
}
