// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTransports
import NIOCore

/// A client's view of a response.
struct Reply {
    let status: Int
    let fields: HTTPFields
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var cacheStatus: String { fields[.cacheStatus] ?? "" }
}

/// A plain HTTP client without a cache.
struct HTTPProbe: Sendable {
    private let transport = AsyncHTTPClientTransport()

    func send(
        _ method: HTTPRequest.Method = .get,
        _ url: String,
        fields: HTTPFields = [:],
        body: HTTPBody = .empty
    ) async throws -> Reply {
        let target = TargetURI(URIReference(url))
        let path = target.map { target in target.query.map { "\(target.path)?\($0)" } ?? target.path }
        let request = HTTPRequest(method: method, scheme: target?.scheme, authority: target?.authority, path: path, headerFields: fields)
        let response = try await transport.send(request, body: body)
        let bytes = try await response.body.collect(upTo: 256 << 20)
        return Reply(status: response.head.status.code, fields: response.head.headerFields, body: Array(bytes.readableBytesView))
    }

    func stop() async {
        await transport.shutdown()
    }
}
