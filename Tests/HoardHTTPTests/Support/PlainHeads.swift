// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport
import HoardMessages
import NIOCore

@testable import HoardHTTP

extension HTTPResponse {
    /// Hands over the head as a server would have sent it.
    func withPlainHead<Result>(_ body: (PlainResponseHead) throws -> Result) rethrows -> Result {
        let statusLine = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
        let text = statusLine + headerFields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        var judged = self
        judged.headerFields = HTTPFields(
            headerFields.filter { field in !Array(field.name.rawName.utf8).withUnsafeBytes { UnjudgedFields.contains($0) } }
        )
        return try Array(text.utf8).withUnsafeBytes { bytes in
            try body(PlainResponseHead(bytes: bytes, fieldsStart: statusLine.utf8.count, fieldCount: headerFields.count, judged: judged))
        }
    }
}

extension HTTPCache {
    /// ``store(_:_:_:)`` of a response that has come in one piece.
    func store(_ miss: EarlyMiss, _ response: HTTPResponse, _ content: ByteBuffer) -> HTTPCacheResponse? {
        response.withPlainHead { head in
            content.withUnsafeReadableBytes { store(miss, head, $0) }
        }.map { HTTPCacheResponse(head: response, body: HTTPBody(content), isFromCache: false, report: $0.report) }
    }

    /// ``confirm(_:by:)`` by a 304 that has come in one piece, and the response that a server makes of it.
    func confirm(_ miss: EarlyMiss, _ response: HTTPResponse) -> HTTPCacheResponse? {
        response.withPlainHead { confirm(miss, by: $0) }.map { hit, report in
            var fields = hit.head.withUnsafeBytes { head in
                let start = head.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? head.count
                return HTTPFields(PlainLines(UnsafeRawBufferPointer(rebasing: head[start...])))
            }
            fields.append(HTTPField(name: .age, value: String(hit.age)))
            let (prefix, suffix) = passedOnStatus(because: nil, isOfStale: true)
            fields.append(HTTPField(name: .cacheStatus, value: "\(prefix)304; ttl=\(hit.timeToLive)\(suffix)"))
            let head = HTTPResponse(status: .init(code: hit.status), headerFields: fields)
            return HTTPCacheResponse(head: head, body: HTTPBody(hit.body.bytesAtHand ?? ByteBuffer()), isFromCache: true, report: report)
        }
    }
}
