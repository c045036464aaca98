// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardCodings
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardHTTP

/// A page in the coding that a test wants.
enum CodedPage {
    /// Text that is worth coding.
    static func text(_ version: Int = 0, count: Int = 4_000) -> String {
        String((0..<count / 40).flatMap { "line \($0) of page version \(version), like all others\n" }.prefix(count))
    }

    static func coded(_ content: ByteBuffer, _ coding: ContentCoding) throws -> ByteBuffer {
        let encoder = try ContentEncoder(coding: coding)
        var coded = try encoder.encode(content, flush: false)
        try encoder.finish { part throws(CodingError) in _ = coded.writeBytes(part) }
        return coded
    }

    /// The content without the codings that a response says it has.
    static func decoded(_ content: ByteBuffer, _ fields: HTTPFields) throws -> String {
        guard let name = fields[.contentEncoding] else { return String(buffer: content) }
        return String(buffer: try decoded(content, #require(ContentCoding(name: name))))
    }

    static func decoded(_ content: ByteBuffer, _ coding: ContentCoding) throws -> ByteBuffer {
        let decoder = try ContentDecoder(codings: [coding])
        var output = ByteBuffer()
        let result = content.withUnsafeReadableBytes { bytes in
            Result { () throws(CodingError) in try decoder.decode(bytes) { part throws(CodingError) in _ = output.writeBytes(part) } }
        }
        try result.get()
        try decoder.finish()
        return output
    }
}

/// An answer with its bytes.
struct CodedReply {
    let head: HTTPResponse
    let content: ByteBuffer
    let isFromCache: Bool

    var coding: String? { head.headerFields[.contentEncoding] }
    var tag: String? { head.headerFields[.eTag] }
    var code: Int { head.status.code }
    var text: String { get throws { try CodedPage.decoded(content, head.headerFields) } }
}

extension CacheHarness {
    /// A shared cache that codes content.
    static func coding(
        stores: [any RecordStore] = [],
        time: TestTime = TestTime(),
        configure: @escaping (inout HTTPCache.Configuration) -> Void = { _ in },
        origin: @escaping FakeTransport.Handler
    ) -> CacheHarness {
        CacheHarness(
            mode: .shared,
            stores: stores,
            time: time,
            configure: {
                $0.contentCodings = .init()
                configure(&$0)
            },
            origin: origin
        )
    }

    func coded(
        _ accepted: String?,
        _ path: String = "/a",
        _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get,
        policy: HTTPCachePolicy = .init()
    ) async throws -> CodedReply {
        var fields = fields
        if let accepted { fields[.acceptEncoding] = accepted }
        let response = try await cache.respond(to: .test(method, path, fields), policy: policy, through: transport)
        return CodedReply(
            head: response.head,
            content: try await response.body.collect(upTo: 1 << 24),
            isFromCache: response.isFromCache
        )
    }
}

extension [ByteBuffer] {
    /// The parts one by one.
    var stream: AsyncStream<ByteBuffer> {
        AsyncStream { continuation in
            for part in self { continuation.yield(part) }
            continuation.finish()
        }
    }
}
