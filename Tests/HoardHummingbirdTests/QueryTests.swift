// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHummingbird
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import HoardHTTP

/// QUERY (RFC 10008) in front of handlers, which read the content that the cache has read for its key.
@Suite(.timeLimit(.minutes(1))) struct QueryTests {
    @Test(arguments: Form.allCases) func aHandlerRunsOnceForEachQuestion(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.on("search", method: .query) { request, _ in
                site.runs.note(request)
                let content = try await request.body.collect(upTo: 1 << 20)
                return Response.text("\(content.readableBytes) \(String(buffer: content).prefix(5))", [.cacheControl: "s-maxage=60"])
            }
        }
        try await app.test(.router) { client async throws in
            for isHit in [false, true] {
                for content in ["one", "two"] {
                    let response = try await client.execute(uri: "/search", method: .query, body: ByteBuffer(string: content))
                    #expect(response.text == "3 \(content)" && response.cacheStatus.contains("hit") == isHit, "\(response.cacheStatus)")
                }
            }
            for _ in 1...2 {
                let long = try await client.execute(uri: "/search", method: .query, body: ByteBuffer(repeating: 0x78, count: 100_000))
                #expect(long.text == "100000 xxxxx")
            }
        }
        #expect(site.runs.count == 4)
    }
}
