// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: HTTP
// packages: swift-asn1 swift-atomics swift-collections swift-crypto swift-http-structured-headers swift-http-types swift-nio swift-system

import HTTPTypes
import HoardHTTP

struct Origin: Transport {
    func send(_ request: HTTPRequest, body: HTTPBody, onInterimResponse: InterimResponseHandler?) async throws(TransportError) -> TransportResponse {
        TransportResponse(head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), body: HTTPBody("Hello"))
    }
}

let client = CachingClient(transport: Origin())
_ = try await client.get("http://example.com/")
let response = try await client.get("http://example.com/")
precondition(response.isFromCache)
