// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Responses that are kept as they came, beside the same ones whose fields have been read.
@Suite struct PlainResponseTests {
    private static let date = "Tue, 14 Nov 2023 22:13:20 GMT"
    private static let fields = [
        "Date": [date], "Age": ["0", "5"], "Cache-Control": ["max-age=60", "no-cache", "public", "s-maxage=5, stale-if-error=9", "must-revalidate"],
        "ETag": ["\"a\"", "W/\"b\""], "Last-Modified": ["Mon, 13 Nov 2023 22:13:20 GMT", "never"], "Expires": ["0", "Wed, 15 Nov 2023 22:13:20 GMT"],
        "Content-Length": ["5", "05", "7"], "Vary": ["Accept", "*", "Accept-Encoding, Accept"], "Cache-Tag": ["a, b"], "Surrogate-Key": ["x y"],
        "No-Vary-Search": ["params"], "Server": ["nginx"], "SERVER": ["x"], "Via": ["1.1 a"], "Content-Type": ["text/html"], "X-A": ["", "b"],
        "Set-Cookie": ["a=b"], "Content-Encoding": ["gzip"], "Strict-Transport-Security": ["max-age=1"], "Content-Language": ["de"],
    ]

    @Test func responsesKeptAsTheyCameAreThoseWhoseFieldsWereRead() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        let rules = HTTPCacheRules(mode: .shared, targets: [.cdnCacheControl])
        let (asked, answered) = (Date(timeIntervalSince1970: 1_700_000_000), Date(timeIntervalSince1970: 1_700_000_002))
        let names = Self.fields.keys.sorted()
        var keptCount = 0
        for _ in 0..<3_000 {
            let status = [HTTPResponse.Status.ok, .notFound, .init(code: 200, reasonPhrase: "Fine"), .init(code: 299), .noContent].randomElement(
                using: &generator
            )
            var response = HTTPResponse(status: status ?? .ok)
            for name in ["Date", "Content-Length"]
                + (0..<Int.random(in: 0...6, using: &generator)).map({ _ in names.randomElement(using: &generator) ?? "X-A" })
            where Int.random(in: 0..<12, using: &generator) > 0 {
                let value = Self.fields[name]?.randomElement(using: &generator) ?? ""
                response.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
            }
            let content = Array("hello".utf8.prefix(Int.random(in: 0...5, using: &generator)))
            let freshness = ResponseFreshness(of: response, requestTime: asked, responseTime: answered, rules: rules)
            let kept = response.withPlainHead { head in
                content.withUnsafeBytes { StoredResponse(head, content: $0, requestTime: asked, freshness: freshness) }
            }
            let bytes = ByteBuffer(bytes: content)
            let extents = content.isEmpty ? [] : [StoredBody.Extent(offset: 0, length: content.count, source: .bytes(bytes))]
            let read = StoredResponse(
                head: response,
                body: StoredBody(extents: extents, completeLength: content.count),
                requestTime: asked,
                responseTime: answered,
                rules: rules
            ).packed
            let hasForm = read.wireHead != nil && !response.status.reasonPhrase.isEmpty
            guard let kept else {
                #expect(!hasForm || response.headerFields[.contentLength] == nil, "seed \(seed): \(response)")
                continue
            }
            keptCount += 1
            #expect(hasForm, "seed \(seed): \(response)")
            #expect(kept == read && kept.head == read.head && kept.freshness == read.freshness, "seed \(seed): \(response)")
            #expect(kept.headWithoutAge == read.headWithoutAge && kept.hasValidators == read.hasValidators, "seed \(seed): \(response)")
            #expect(kept.vary == read.vary && kept.tags == read.tags && kept.noVarySearch == read.noVarySearch, "seed \(seed): \(response)")
            #expect(kept.weight == read.weight && kept.statusCode == read.statusCode && kept.isComplete, "seed \(seed): \(response)")
            #expect(
                kept.wireHead?.text == read.wireHead?.text && kept.wireHead?.contentLength == read.wireHead?.contentLength,
                "seed \(seed): \(response)"
            )
        }
        #expect(keptCount > 300, "seed \(seed)")
    }

    @Test(arguments: ["Content-Type", "SERVER", "via", "Accept-Ranges", "X-Frame-Options", "Content-Encoding"])
    func fieldsThatNoRuleReadsAreNotJudged(_ name: String) {
        #expect(Array(name.utf8).withUnsafeBytes { UnjudgedFields.contains($0) })
    }

    @Test(arguments: ["Cache-Control", "Date", "Age", "Vary", "ETag", "Expires", "Servers", "", "Content-Types", "Cache-Tag"])
    func allOthersAre(_ name: String) {
        #expect(!Array(name.utf8).withUnsafeBytes { UnjudgedFields.contains($0) })
    }
}

extension WireHead {
    fileprivate var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
