// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import Testing

@testable import HoardTransports

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The responses that come of the heads that a session reports.
@Suite struct SessionResponseTests {
    private static func length(_ contentLength: String?) throws -> Int? {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "/")
        let origin = try Destination(of: request)
        let url = try #require(URL(string: origin.url))
        let fields = contentLength.map { ["Content-Length": $0] }
        let head = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields))
        let exchange = SessionExchange(origin: origin, maximumBufferedBytes: 1)
        return try TransportResponse(head, to: request, origin: origin, exchange: exchange).body.length
    }

    @Test(arguments: [("5", 5), ("0", 0), ("007", 7)])
    func lengthIsThatOfTheField(_ text: String, _ length: Int) throws {
        #expect(try Self.length(text) == length)
    }

    @Test(arguments: ["-5", "+5", "5, 5", "0x5", "five", "", nil])
    func lengthThatIsNoNumberIsNotKnown(_ text: String?) throws {
        #expect(try Self.length(text) == nil)
    }
}
