// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardCodings
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

/// Random clients of a page that changes. They accept random codings and keep the responses that they get.
@Suite("Random clients of codings", .timeLimit(.minutes(5))) struct HTTPCacheCodingRandomTests {
    /// A page, of which there is another version from time to time.
    private final class Origin: Sendable {
        let version = Mutex(0)
        let coding: ContentCoding?

        init(_ coding: ContentCoding?) { self.coding = coding }

        static func text(_ version: Int) -> String { CodedPage.text(version, count: 1_000 + version % 7 * 500) }

        func answer(_ request: HTTPRequest) throws -> FakeTransport.Answer {
            let version = version.withLock { $0 }
            let tag = "\"\(version)\""
            var fields: HTTPFields = [.cacheControl: "max-age=10", .contentType: "text/plain", .eTag: tag]
            let asked = request.headerFields[values: .ifNoneMatch].joined(separator: ", ")
            if asked.contains(tag) { return .response(.test(304, fields)) }
            var content = ByteBuffer(string: Self.text(version))
            if let coding, request.headerFields[.acceptEncoding] == coding.name {
                content = try CodedPage.coded(content, coding)
                (fields[.contentEncoding], fields[.eTag], fields[.vary]) = (coding.name, "\"\(version)-c\"", "accept-encoding")
            }
            fields[.contentLength] = "\(content.readableBytes)"
            return .response(.test(200, fields), body: HTTPBody(content))
        }
    }

    /// A response that a client holds.
    private struct Held {
        let version: Int
        let content: ByteBuffer
        let coding: String?
    }

    @Test(arguments: [nil, .gzip] as [ContentCoding?], 1...6 as ClosedRange<UInt64>)
    func everyClientReadsAVersionThatWasCurrentInACodingThatItAccepts(coding: ContentCoding?, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let origin = Origin(coding)
        let harness = CacheHarness.coding { (try? origin.answer($0.head)) ?? .text("", status: .internalServerError) }
        var held: [String: Held] = [:]
        let names = ["gzip", "br", "zstd", "identity", "deflate", "*"]
        for step in 1...400 {
            let context: Comment = "seed \(seed), step \(step)"
            if Int.random(in: 0..<12, using: &generator) == 0 { origin.version.withLock { $0 += 1 } }
            if Int.random(in: 0..<6, using: &generator) == 0 { harness.time.advance(seconds: Int64.random(in: 1...15, using: &generator)) }
            let accepted = Bool.random(using: &generator) ? names.shuffled(using: &generator).prefix(3).joined(separator: ", ") : nil
            var fields: HTTPFields = [:]
            let tag = held.keys.sorted().randomElement(using: &generator)
            let asksForPart = Int.random(in: 0..<4, using: &generator) == 0
            if asksForPart {
                fields[.range] = "bytes=\(Int.random(in: 0...20, using: &generator))-\(Int.random(in: 20...60, using: &generator))"
                if let tag, Bool.random(using: &generator) { fields[.ifRange] = tag }
            } else if let tag, Bool.random(using: &generator) {
                fields[.ifNoneMatch] = tag
            }
            let reply = try await harness.coded(accepted, "/a", fields)
            let newest = origin.version.withLock { $0 }
            switch reply.code {
            case 200:
                if let name = reply.coding {
                    #expect(accepted?.contains(name) == true || accepted?.contains("*") == true, context)
                }
                let text = try reply.text
                let version = try #require((0...newest).last { Origin.text($0) == text }, context)
                let tag = try #require(reply.tag, context)
                if let other = held[tag] { #expect(other.content == reply.content && other.coding == reply.coding, context) }
                held[tag] = Held(version: version, content: reply.content, coding: reply.coding)
            case 206:
                guard let tag = reply.tag, let whole = held[tag] else { continue }
                let range = try #require(reply.head.headerFields[.contentRange]?.split { !$0.isNumber }.compactMap { Int($0) }, context)
                #expect(reply.content == whole.content.getSlice(at: range[0], length: range[1] - range[0] + 1), context)
                #expect(range[2] == whole.content.readableBytes && reply.coding == whole.coding, context)
            case 304:
                let asked = try #require(fields[.ifNoneMatch], context)
                #expect(reply.tag == asked, context)
                #expect(held[asked] != nil, context)
            default:
                Issue.record("\(reply.code), \(context)")
            }
        }
        #expect(harness.cache.statistics.hits > 100, "seed \(seed)")
        #expect(Set(held.values.map(\.coding)).count > 2)
    }
}
