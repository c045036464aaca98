// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardTransports
import NIOCore

@testable import Screens

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends requests as they are, without a cache.
struct Raw {
    struct Answer {
        let status: Int
        let fields: HTTPFields
        let body: String

        /// The value of a field that need not be known by name.
        subscript(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
    }

    let url: String
    private let transport = NIOTransport()

    init(_ url: String) {
        self.url = url
    }

    func get(_ path: String, _ fields: [String: String] = [:]) async throws -> Answer {
        try await send(.get, path, fields)
    }

    /// The requests that the server says it has seen.
    func counts() async throws -> RequestCounts {
        try JSONDecoder().decode(RequestCounts.self, from: Data(try await get("/admin/requests").body.utf8))
    }

    func post(_ path: String, _ body: String) async throws -> Answer {
        try await send(.post, path, ["content-type": "application/json"], HTTPBody(body))
    }

    func send(_ method: HTTPRequest.Method, _ path: String, _ fields: [String: String] = [:], _ body: HTTPBody = .empty) async throws -> Answer {
        var request = HTTPRequest(method: method, scheme: "http", authority: String(url.dropFirst("http://".count)), path: path)
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        let response = try await transport.send(request, body: body)
        let body = try await response.body.collect(upTo: 1 << 20)
        return Answer(status: response.head.status.code, fields: response.head.headerFields, body: String(buffer: body))
    }
}
