// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

/// Digest fields (RFC 9530): compared with content on its way into the cache, kept, and made for clients that want them.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheDigestTests {
    private static let content = "{\"hello\": \"world\"}"
    private static let sha256 = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
    private static let sha512 = "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
    private static let wrong = "sha-256=:\(Data(repeating: 7, count: 32).base64EncodedString()):"

    /// An origin with one page, whole or in parts, and the fields that the test says.
    private static func origin(_ fields: HTTPFields, parts: Bool? = nil) -> FakeTransport.Handler {
        let fields = [.cacheControl: "max-age=600", .eTag: "\"1\""] + fields
        return { _ in
            guard let hasLength = parts else { return .text(content, fields: fields) }
            return .parts(["{\"hello\"", ": \"world\"}"], length: hasLength ? content.utf8.count : nil, fields: fields)
        }
    }

    // MARK: Checked

    @Test(arguments: [nil, true, false] as [Bool?], [HTTPField.Name.contentDigest, .reprDigest])
    func contentWithAnotherDigestIsDeliveredAndNotStored(parts: Bool?, name: HTTPField.Name) async throws {
        let harness = CacheHarness(origin: Self.origin([name: Self.wrong], parts: parts))
        for _ in 1...2 {
            let reply = try await harness.get()
            #expect(reply.text == Self.content && !reply.isFromCache)
            await harness.transfersEnd()
        }
        #expect("\(await harness.cache.explain("http://example.com/a"))".contains("does not have the digest"))
        #expect(harness.openFenceCount == 0)
    }

    @Test(arguments: [nil, true, false] as [Bool?]) func contentWithItsDigestIsStored(parts: Bool?) async throws {
        for digest in [Self.sha256, Self.sha512, "md5=:AAAA:, \(Self.sha256)", "\(Self.sha512), \(Self.sha256)"] {
            for name in [HTTPField.Name.contentDigest, .reprDigest] {
                let harness = CacheHarness(configure: { $0.digests = .refuse }, origin: Self.origin([name: digest], parts: parts))
                #expect(try await harness.get().text == Self.content)
                await harness.transfersEnd()
                let reply = try await harness.get()
                #expect(reply.isFromCache && reply.head.headerFields[name] == digest)
            }
        }
    }

    @Test(arguments: ["sha-256=:AAAA:", "sha-256", "sha-256=abc", "md5=:AAAA:", "sha-256=:!:", "", "unixsum=:AAAA:"])
    func aFieldThatSaysNothingUsableIsPassedOnAndNotJudged(text: String) async throws {
        let harness = CacheHarness(configure: { $0.digests = .refuse }, origin: Self.origin([.contentDigest: text]))
        try await harness.get()
        #expect(try await harness.get().isFromCache)
    }

    @Test func aRefusedResponseIsAnErrorAndAStreamedOneLacksItsLastPart() async throws {
        for parts in [nil, true, false] as [Bool?] {
            let harness = CacheHarness(configure: { $0.digests = .refuse }, origin: Self.origin([.contentDigest: Self.wrong], parts: parts))
            for _ in 1...2 {
                do {
                    _ = try await harness.get()
                    Issue.record("The content was taken.")
                } catch {
                    let cause = (error as? HTTPCacheError)?.transportError ?? error as? TransportError
                    #expect(cause?.code == .invalidResponse)
                }
                await harness.transfersEnd()
            }
            #expect(harness.requestCount == 2)
        }
        let harness = CacheHarness(configure: { $0.digests = .refuse }, origin: Self.origin([.contentDigest: Self.wrong], parts: true))
        var body = try await harness.open().body.makeAsyncIterator()
        #expect(try await body.next() == ByteBuffer(string: "{\"hello\""))
        await #expect(throws: TransportError.self) { while try await body.next() != nil {} }
    }

    @Test func digestsAreIgnoredIfThatIsAskedFor() async throws {
        let harness = CacheHarness(configure: { $0.digests = .ignore }, origin: Self.origin([.contentDigest: Self.wrong]))
        try await harness.get()
        #expect(try await harness.get().isFromCache)
    }

    @Test func longContentIsComparedToo() async throws {
        let long = String(repeating: "0123456789abcdef", count: 40_000)
        let digest = "sha-256=:dMPbUUfNUIsipROLhX5FG5BdlNFXKIk8zwAnsjWmsaM=:"
        for (field, isStored) in [(digest, true), (Self.wrong, false)] {
            let harness = CacheHarness { _ in .text(long, fields: [.cacheControl: "max-age=600", .reprDigest: field]) }
            #expect(try await harness.get().text == long)
            await harness.transfersEnd()
            #expect(try await harness.get().isFromCache == isStored)
        }
    }

    // MARK: Kept and made

    @Test func aPartHasTheDigestOfTheRepresentationAndNotThatOfTheWholeContent() async throws {
        let harness = CacheHarness(origin: Self.origin([.contentDigest: Self.sha256, .reprDigest: Self.sha256]))
        try await harness.get()
        let part = try await harness.get("/a", [.range: "bytes=0-3"])
        #expect(part.code == 206 && part.head.headerFields[.reprDigest] == Self.sha256 && part.head.headerFields[.contentDigest] == nil)
    }

    @Test func wantedDigestsAreMadeOfWhatIsStored() async throws {
        let harness = CacheHarness(origin: Self.origin([:]))
        try await harness.get()
        func fields(_ want: HTTPFields, _ method: HTTPRequest.Method = .get) async throws -> HTTPFields {
            try await harness.send(method, "/a", want).head.headerFields
        }
        #expect(try await fields([.wantReprDigest: "sha-256=10"])[.reprDigest] == Self.sha256)
        #expect(try await fields([.wantReprDigest: "sha-256=1, sha-512=3"])[.reprDigest] == Self.sha512)
        #expect(try await fields([.wantContentDigest: "sha-256=10"])[.contentDigest] == Self.sha256)
        #expect(try await fields([.wantReprDigest: "sha-256=10"], .head)[.reprDigest] == Self.sha256)
        let part = try await fields([.wantReprDigest: "sha-256=1", .wantContentDigest: "sha-256=1", .range: "bytes=1-2"])
        #expect(part[.reprDigest] == Self.sha256 && part[.contentDigest] == nil)
        for want in ["sha-256=0", "md5=5", "sha-256", "sha-256=11", "oops=("] {
            let fields = try await fields([.wantReprDigest: want, .wantContentDigest: want])
            #expect(fields[.reprDigest] == nil && fields[.contentDigest] == nil, "\(want)")
        }
        #expect(harness.requestCount == 1)
    }

    @Test func theDigestOfTheOriginIsNotReplaced() async throws {
        let harness = CacheHarness(origin: Self.origin([.reprDigest: Self.sha512]))
        try await harness.get()
        #expect(try await harness.get("/a", [.wantReprDigest: "sha-256=10"]).head.headerFields[.reprDigest] == Self.sha512)
    }

    @Test func aFollowerOfContentThatIsArrivingGetsNoDigestOfNothing() async throws {
        let (body, feed) = BodyFeed.makeBody()
        let source = Mutex<HTTPBody?>(body)
        let harness = CacheHarness { _ in .response(.test(200, [.cacheControl: "max-age=600"]), body: source.withLock { $0.take() } ?? .empty) }
        var leader = try await harness.open().body.makeAsyncIterator()
        feed.send("one ")
        #expect(try await leader.next() == ByteBuffer(string: "one "))
        let follower = try await harness.open("/a", [.wantReprDigest: "sha-256=10", .wantContentDigest: "sha-256=10"])
        #expect(follower.head.headerFields[.reprDigest] == nil && follower.head.headerFields[.contentDigest] == nil)
        feed.send("two")
        feed.finish()
        #expect(try await Reply(follower).text == "one two" && harness.requestCount == 1)
    }

    @Test func theDigestOfAPartIsNotServedForTheWhole() async throws {
        let harness = CacheHarness { request in
            let range = request.head.headerFields[.range] == "bytes=0-3" ? 0..<4 : 4..<8
            return .text(
                String(Array("abcdefgh")[range]),
                status: .partialContent,
                fields: [
                    .cacheControl: "max-age=600", .eTag: "\"1\"", .contentRange: "bytes \(range.lowerBound)-\(range.upperBound - 1)/8",
                    .contentDigest: Self.sha256,
                ]
            )
        }
        try await harness.get("/a", [.range: "bytes=0-3"])
        try await harness.get("/a", [.range: "bytes=4-7"])
        let whole = try await harness.get()
        #expect(whole.text == "abcdefgh" && whole.isFromCache && whole.head.headerFields[.contentDigest] == nil)
    }

    @Test func aConfirmationDoesNotReplaceTheDigestOfTheContent() async throws {
        let harness = CacheHarness { request in
            request.head.headerFields.contains(.ifNoneMatch)
                ? .text(status: .notModified, fields: [.cacheControl: "max-age=600", .eTag: "\"1\"", .contentDigest: Self.wrong])
                : .text(Self.content, fields: [.cacheControl: "max-age=1", .eTag: "\"1\"", .contentDigest: Self.sha256])
        }
        try await harness.get()
        harness.time.advance(seconds: 2)
        #expect(try await harness.get().head.headerFields[.contentDigest] == Self.sha256)
    }
}
