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

/// Content codings in a shared cache (RFC 9110 §8.4): one stored response, several forms of it.
@Suite("HTTPCache with codings", .timeLimit(.minutes(5))) struct HTTPCacheCodingTests {
    private static let page = CodedPage.text()
    private static let fields: HTTPFields = [.cacheControl: "max-age=600", .contentType: "text/html; charset=utf-8", .eTag: "\"1\""]

    private static func origin(_ more: HTTPFields = [:], page: String = page) -> FakeTransport.Handler {
        var fields = fields
        for field in more { fields[field.name] = field.value }
        return { [fields] _ in .text(page, fields: fields) }
    }

    private static let names = ContentCoding.available.map(\.name).filter { $0 != "deflate" }

    // MARK: Chosen

    @Test(arguments: names) func aClientGetsTheCodingThatItAcceptsAndSoDoesTheNextOneFromMemory(name: String) async throws {
        let harness = CacheHarness.coding(origin: Self.origin())
        let first = try await harness.coded(name)
        let second = try await harness.coded(name)
        for reply in [first, second] {
            #expect(reply.coding == name)
            #expect(reply.content.readableBytes < Self.page.utf8.count / 4)
            #expect(try reply.text == Self.page)
            #expect(reply.head.headerFields[.contentLength] == "\(reply.content.readableBytes)")
            #expect(reply.head.headerFields[.vary] == "Accept-Encoding")
            #expect(reply.tag == "\"1:\(name)\"")
        }
        #expect(first.content == second.content)
        #expect(!first.isFromCache && second.isFromCache)
        #expect(harness.requestCount == 1)
        #expect(harness.cache.statistics.hits == 1)
    }

    @Test func allClientsShareOneStoredResponseWhateverTheyAccept() async throws {
        let spellings: [String?] = [
            nil, "", "gzip", "gzip, deflate", "gzip, deflate, br", "gzip, deflate, br, zstd", "br", "br;q=1.0, gzip;q=0.8, *;q=0.1", "identity",
            "GZIP,DEFLATE", "gzip;q=0", "*", "x-gzip", "deflate", "br ; q=0.5,gzip;q=0.9", "zstd", "compress, gzip", "gzip, br;q=0", "*;q=0.5, zstd",
            "identity;q=1, *;q=0", "gzip,,deflate", "pack200-gzip, gzip",
        ]
        let harness = CacheHarness.coding(origin: Self.origin())
        var forms: Set<ByteBuffer> = []
        for spelling in spellings + spellings {
            let reply = try await harness.coded(spelling)
            #expect(try reply.text == Self.page, "\(spelling ?? "none")")
            #expect(reply.head.headerFields[.vary] == "Accept-Encoding")
            forms.insert(reply.content)
        }
        #expect(harness.requestCount == 1)
        #expect(forms.count <= 4)
        #expect(harness.cache.entries.memoryCount == 1)
    }

    @Test(
        arguments: [
            ("gzip;q=0.5, br;q=0.6", "br"), ("br;q=0.1, gzip;q=0.2", "gzip"), ("gzip;q=0.5, identity", nil), ("gzip, br", "br"), ("br;q=0, *", nil),
        ] as [(String, String?)]
    )
    func weightsDecide(accepted: String, expected: String?) async throws {
        guard ContentCoding.available.contains(.brotli), ContentCoding.available.contains(.zstandard) else { return }
        let harness = CacheHarness.coding(origin: Self.origin())
        // “*” stands for the best of the other codings.
        let expected = accepted == "br;q=0, *" ? "zstd" : expected
        #expect(try await harness.coded(accepted).coding == expected)
    }

    @Test func theOriginIsAskedForOneCodingOrForNone() async throws {
        let harness = CacheHarness.coding(origin: Self.origin([.cacheControl: "no-store"]))
        for accepted in ["br, gzip;q=0.1", "gzip", "br", "gzip;q=0", nil] { _ = try await harness.coded(accepted) }
        #expect(harness.transport.requests.map { $0.head.headerFields[.acceptEncoding] } == ["gzip", "gzip", "identity", "identity", "identity"])
    }

    @Test func requestsThatTheCacheHasNoPartInKeepWhatTheyAccept() async throws {
        let harness = CacheHarness.coding(origin: Self.origin())
        let reply = try await harness.coded("br, x-odd", method: .post)
        #expect(reply.coding == nil)
        #expect(harness.transport.requests[0].head.headerFields[.acceptEncoding] == "br, x-odd")
    }

    // MARK: Left alone

    @Test(
        arguments: [
            [.cacheControl: "max-age=600, no-transform"], [.contentType: "image/png"], [.contentType: ""],
            [.contentEncoding: "x-odd"],
            [.contentEncoding: "gzip, br"], [.cacheControl: "private, max-age=600"], [.cacheControl: "no-store"],
        ] as [HTTPFields]
    )
    func whatMustNotBeCodedOrIsNotWorthItStaysAsItIs(fields: HTTPFields) async throws {
        let harness = CacheHarness.coding(origin: Self.origin(fields))
        for _ in 1...2 {
            let reply = try await harness.coded("gzip, br, zstd")
            #expect(reply.content == ByteBuffer(string: Self.page))
            #expect(reply.coding == fields[.contentEncoding])
            #expect(reply.tag == "\"1\"")
        }
    }

    @Test func shortContentAndContentThatDoesNotShrinkStaysAsItIs() async throws {
        var generator = SeededGenerator(seed: 1)
        let noise = ByteBuffer(bytes: (0..<2_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        for page in [ByteBuffer(string: "short"), noise] {
            let fields = Self.fields + [.contentLength: "\(page.readableBytes)"]
            let harness = CacheHarness.coding { _ in .response(.test(200, fields), body: HTTPBody(page)) }
            for _ in 1...3 {
                let reply = try await harness.coded("gzip")
                #expect(reply.content == page && reply.coding == nil && reply.tag == "\"1\"")
            }
            #expect(harness.cache.statistics.hits == 2)
        }
    }

    @Test func whatIsNotStoredIsCodedOnlyIfThatIsAskedFor() async throws {
        let harness = CacheHarness.coding(
            configure: { $0.contentCodings?.codesUnstored = true },
            origin: Self.origin([.cacheControl: "private"])
        )
        let reply = try await harness.coded("gzip")
        #expect(reply.coding == "gzip")
        #expect(try reply.text == Self.page)
    }

    @Test func whatIsNotStoredIsOnlyDecodedForWhoCannotReadIt() async throws {
        let gzipped = try CodedPage.coded(ByteBuffer(string: Self.page), .gzip)
        let fields: HTTPFields = [.cacheControl: "private", .contentType: "text/html", .contentEncoding: "gzip"]
        let halves = [gzipped.getSlice(at: 0, length: 50) ?? gzipped, gzipped.getSlice(at: 50, length: gzipped.readableBytes - 50) ?? gzipped]
        for streams in [false, true] {
            let harness = CacheHarness.coding { _ in
                .response(.test(200, fields), body: streams ? HTTPBody(halves.stream, length: nil) : HTTPBody(gzipped))
            }
            for (accepted, coding) in [("gzip", "gzip"), ("br, gzip", "gzip"), ("br", nil), ("identity", nil)] as [(String, String?)] {
                let reply = try await harness.coded(accepted)
                #expect(reply.coding == coding, "\(accepted)")
                #expect(try reply.text == Self.page)
            }
        }
    }

    @Test func aRouteCanLeaveItsContentUncodedWhateverOthersGet() async throws {
        let harness = CacheHarness.coding(origin: Self.origin())
        var policy = HTTPCachePolicy()
        policy.codesContent = false
        #expect(try await harness.coded("gzip").coding == "gzip")
        for _ in 1...2 { #expect(try await harness.coded("gzip", policy: policy).coding == nil) }
    }

    @Test func withoutAPolicyNothingIsCodedAndNothingIsAsked() async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.origin())
        let reply = try await harness.coded("br")
        #expect(reply.coding == nil && reply.tag == "\"1\"" && reply.head.headerFields[.vary] == nil)
        #expect(harness.transport.requests[0].head.headerFields[.acceptEncoding] == "br")
    }

    // MARK: The origin's codings

    @Test func oneFormOfTheOriginsServesClientsOfAllCodings() async throws {
        let gzipped = try CodedPage.coded(ByteBuffer(string: Self.page), .gzip)
        let fields = Self.fields + [.contentEncoding: "gzip", .vary: "Accept-Encoding", .contentLength: "\(gzipped.readableBytes)"]
        let harness = CacheHarness.coding { _ in .response(.test(200, fields), body: HTTPBody(gzipped)) }
        for _ in 1...2 {
            let same = try await harness.coded("gzip")
            #expect(same.content == gzipped && same.tag == "\"1\"")
            let plain = try await harness.coded(nil)
            #expect(plain.content == ByteBuffer(string: Self.page) && plain.coding == nil && plain.tag == "\"1:identity\"")
            for name in Self.names where name != "gzip" {
                let other = try await harness.coded("\(name), gzip;q=0.5")
                #expect(other.coding == name && other.tag == "\"1:\(name)\"")
                #expect(try other.text == Self.page)
            }
        }
        #expect(harness.requestCount == 1)
    }

    @Test func contentThatIsNotInItsCodingIsPassedOnAsItCame() async throws {
        let harness = CacheHarness.coding(origin: Self.origin([.contentEncoding: "gzip"]))
        for accepted in [nil, "br", "gzip"] {
            let reply = try await harness.coded(accepted)
            #expect(reply.content == ByteBuffer(string: Self.page) && reply.coding == "gzip")
        }
    }

    // MARK: Conditions and ranges

    @Test func aClientWithAnyFormThatItAcceptsIsToldThatItsFormIsStillRight() async throws {
        let harness = CacheHarness.coding(origin: Self.origin())
        for accepted in [nil, "gzip", "br"] { _ = try await harness.coded(accepted) }
        for (tag, coding) in [("\"1\"", nil), ("\"1:gzip\"", "gzip"), ("\"1:br\"", "br"), ("\"0\", \"1:gzip\"", "gzip")] as [(String, String?)] {
            for accepted in [nil, "gzip", "br", "gzip, br"] {
                let reply = try await harness.coded(accepted, "/a", [.ifNoneMatch: tag])
                let isAccepted = coding.map { accepted?.contains($0) == true } ?? true
                #expect(reply.code == (isAccepted ? 304 : 200), "\(tag) \(accepted ?? "")")
                guard isAccepted else { continue }
                #expect(reply.tag == tag.split(separator: ", ").last.map(String.init))
                #expect(reply.coding == nil && reply.head.headerFields[.vary] == "Accept-Encoding")
            }
        }
        for tag in ["\"1:deflat\"", "\"2:gzip\"", "\"1:GZIP\""] {
            #expect(try await harness.coded("gzip", "/a", [.ifNoneMatch: tag]).code == 200)
        }
    }

    @Test func aChangeOfWhatAFormShowsIsOneOfWhatTheOriginHas() async throws {
        let harness = CacheHarness.coding(origin: Self.origin())
        _ = try await harness.send(.put, "/a", [.ifMatch: "\"1:br\", W/\"2:br\""])
        #expect(harness.transport.requests[0].head.headerFields[values: .ifMatch].joined(separator: ", ") == "\"1:br\", W/\"2:br\", \"1\"")
    }

    @Test(arguments: [4_000, 400_000]) func whoCannotReadACodingGetsNoPartsOfIt(count: Int) async throws {
        var generator = SeededGenerator(seed: 3)
        let page = String((0..<count).map { _ in Character(UnicodeScalar(UInt8.random(in: 32...126, using: &generator))) })
        let gzipped = try CodedPage.coded(ByteBuffer(string: page), .gzip)
        let fields = Self.fields + [.contentEncoding: "gzip", .vary: "Accept-Encoding", .contentLength: "\(gzipped.readableBytes)"]
        let harness = CacheHarness.coding { _ in .response(.test(200, fields), body: HTTPBody(gzipped)) }
        _ = try await harness.coded("gzip")
        await harness.transfersEnd()
        let reply = try await harness.coded("identity;q=1, *;q=0", "/a", [.range: "bytes=0-99"])
        #expect(reply.isFromCache && reply.coding == nil)
        #expect(String(buffer: reply.content) == (reply.code == 206 ? String(page.prefix(100)) : page))
        let part = try await harness.coded("gzip", "/a", [.range: "bytes=0-99"])
        #expect(part.code == 206 && part.coding == "gzip" && part.content == gzipped.getSlice(at: 0, length: 100))
    }

    @Test func partsInAnotherCodingAreNotJoinedWithWhatIsStored() throws {
        let stored = HTTPResponse.test(200, [.eTag: "\"1\"", .contentEncoding: "gzip"])
        for (coding, mayCombine) in [("gzip", true), (nil, false), ("br", false)] as [(String?, Bool)] {
            var new = HTTPResponse.test(206, [.eTag: "\"1\"", .contentRange: "bytes 10-19/100"])
            new.headerFields[.contentEncoding] = coding
            let part = try #require(PartialContent(new, bodyLength: nil))
            #expect(part.mayCombine(with: stored, new: new, completeLength: 100) == mayCombine)
        }
    }

    @Test func shortContentOfUnknownLengthIsRememberedAsNotWorthIt() async throws {
        let fields: HTTPFields = [.cacheControl: "max-age=600", .contentType: "text/plain"]
        let harness = CacheHarness.coding { _ in .parts(["short"], fields: fields) }
        for _ in 1...2 {
            #expect(try await harness.coded("gzip").text == "short")
            await harness.transfersEnd()
        }
        let key = HTTPCacheKey(scope: harness.cache.baseScope, targetURI: "http://example.com/a")
        guard case .response(let stored)? = harness.cache.entries.memoryLookup(forKey: key)?.value else {
            Issue.record("It is not in memory.")
            return
        }
        #expect(stored.forms.count == 1 && stored.forms[0].response == nil)
    }

    @Test func theOriginIsAskedAboutItsOwnTag() async throws {
        let harness = CacheHarness.coding { request in
            let asked = request.head.headerFields[values: .ifNoneMatch].joined(separator: ",")
            guard asked.contains("\"1\"") else { return .text(Self.page, fields: Self.fields) }
            return .response(.test(304, [.eTag: "\"1\"", .cacheControl: "max-age=600"]))
        }
        // Nothing is stored yet: the client's tag is understood by the origin.
        let asked = try await harness.coded("gzip", "/b", [.ifNoneMatch: "\"1:gzip\""])
        #expect(asked.code == 304 && asked.tag == "\"1:gzip\"")
        // The tag of the stored response revalidates a form, which is there again afterwards.
        _ = try await harness.coded("gzip")
        _ = try await harness.coded("gzip")
        harness.time.advance(seconds: 700)
        for _ in 1...2 {
            let reply = try await harness.coded("gzip")
            #expect(reply.coding == "gzip" && reply.tag == "\"1:gzip\"")
            #expect(try reply.text == Self.page)
        }
        #expect(harness.transport.requests.last?.head.headerFields[.ifNoneMatch] == "\"1\"")
    }

    @Test func rangesAreOfTheFormThatTheClientHas() async throws {
        let harness = CacheHarness.coding(origin: Self.origin())
        let gzip = try await harness.coded("gzip")
        let plain = ByteBuffer(string: Self.page)
        let part: HTTPFields = [.range: "bytes=10-29"]
        let ofGzip = try await harness.coded("gzip, br", "/a", part + [.ifRange: "\"1:gzip\""])
        #expect(ofGzip.code == 206 && ofGzip.coding == "gzip" && ofGzip.content == gzip.content.getSlice(at: 10, length: 20))
        #expect(ofGzip.head.headerFields[.contentRange] == "bytes 10-29/\(gzip.content.readableBytes)")
        let ofPlain = try await harness.coded(nil, "/a", part)
        #expect(ofPlain.code == 206 && ofPlain.coding == nil && ofPlain.content == plain.getSlice(at: 10, length: 20))
        // Another form than the one it has: the whole.
        let other = try await harness.coded("gzip", "/a", part + [.ifRange: "\"1:identity\""])
        #expect(other.code == 200)
        #expect(try other.text == Self.page)
    }

    @Test func ofAFormThatHasToBeMadeThereAreNoParts() async throws {
        let harness = CacheHarness.coding(origin: Self.origin())
        _ = try await harness.coded(nil)
        let part: HTTPFields = [.range: "bytes=10-29"]
        let ofStored = try await harness.coded("gzip", "/a", part + [.ifRange: "\"1\""])
        #expect(ofStored.code == 206 && ofStored.coding == nil && ofStored.tag == "\"1\"")
        let whole = try await harness.coded("gzip", "/a", part)
        #expect(whole.code == 200 && whole.coding == "gzip" && whole.isFromCache)
        #expect(try whole.text == Self.page)
        let later = try await harness.coded("gzip", "/a", part)
        #expect(later.code == 206 && later.coding == "gzip" && later.content == whole.content.getSlice(at: 10, length: 20))
    }

    @Test func staleAnswersHavePartsOfTheSameFormAsFreshOnes() async throws {
        let isDown = Mutex(false)
        let fields = Self.fields + [.cacheControl: "stale-if-error=1000"]
        let harness = CacheHarness.coding { _ in
            isDown.withLock { $0 } ? .text("", status: .serviceUnavailable) : .text(Self.page, fields: fields)
        }
        let gzip = try await harness.coded("gzip")
        isDown.withLock { $0 = true }
        for seconds in [0, 700] as [Int64] {
            harness.time.advance(seconds: seconds)
            let reply = try await harness.coded("gzip", "/a", [.range: "bytes=10-29", .ifRange: "\"1:gzip\""])
            #expect(reply.code == 206 && reply.coding == "gzip" && reply.content == gzip.content.getSlice(at: 10, length: 20))
            #expect(reply.head.headerFields[.contentRange] == "bytes 10-29/\(gzip.content.readableBytes)")
        }
        #expect(harness.requestCount == 2)
    }

    @Test func aDateDoesNotSayWhichFormAClientHas() async throws {
        let old = "Thu, 01 Jan 2015 00:00:00 GMT"
        let harness = CacheHarness.coding(origin: Self.origin([.lastModified: old]))
        _ = try await harness.coded("gzip")
        let reply = try await harness.coded("gzip", "/a", [.range: "bytes=0-9", .ifRange: old])
        #expect(reply.code == 200)
        #expect(try reply.text == Self.page)
    }

    @Test func weakTagsStandForAllForms() async throws {
        let harness = CacheHarness.coding(origin: Self.origin([.eTag: "W/\"1\""]))
        for accepted in ["gzip", nil] {
            #expect(try await harness.coded(accepted).tag == "W/\"1\"")
            #expect(try await harness.coded(accepted, "/a", [.ifNoneMatch: "W/\"1\""]).code == 304)
        }
    }

    @Test func anAnswerToHEADInAnotherCodingLeavesWhatIsStored() async throws {
        let gzipped = try CodedPage.coded(ByteBuffer(string: Self.page), .gzip)
        let harness = CacheHarness.coding { request in
            var fields = Self.fields + [.contentLength: "\(Self.page.utf8.count)"]
            if request.head.headerFields.contains(.ifNoneMatch) { return .response(.test(304, Self.fields)) }
            if request.head.method == .head { return .response(.test(200, fields)) }
            fields[.contentLength] = "\(gzipped.readableBytes)"
            fields[.contentEncoding] = "gzip"
            return .response(.test(200, fields), body: HTTPBody(gzipped))
        }
        _ = try await harness.coded("gzip")
        harness.time.advance(seconds: 700)
        #expect(try await harness.coded(nil, method: .head).code == 200)
        #expect(try await harness.coded("gzip").text == Self.page)
        #expect(harness.transport.requests.last?.head.headerFields[.ifNoneMatch] == "\"1\"")
    }

    @Test func headSaysWhatGetSays() async throws {
        let harness = CacheHarness.coding(origin: Self.origin())
        for accepted in [nil, "gzip", "br"] {
            _ = try await harness.coded(nil)
            for _ in 1...2 {
                let head = try await harness.coded(accepted, method: .head)
                let get = try await harness.coded(accepted)
                #expect(
                    head.coding == get.coding && (head.tag == get.tag || head.tag == get.tag.map { "W/\($0)" }) && head.content.readableBytes == 0
                )
                let length = head.head.headerFields[.contentLength]
                #expect(length == nil || length == get.head.headerFields[.contentLength])
            }
        }
    }

    @Test func digestsOfOtherBytesAreLeftOut() async throws {
        let digest = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
        let harness = CacheHarness.coding(configure: { $0.digests = .ignore }, origin: Self.origin([.reprDigest: digest, .contentDigest: digest]))
        for _ in 1...2 {
            let reply = try await harness.coded("gzip")
            #expect(reply.head.headerFields[.reprDigest] == nil && reply.head.headerFields[.contentDigest] == nil)
        }
        #expect(try await harness.coded(nil).head.headerFields[.reprDigest] == digest)
    }

    // MARK: Streams

    @Test func contentThatArrivesIsCodedAndFlushedPartByPart() async throws {
        let parts = (0..<5).map { CodedPage.text($0, count: 3_000) }
        let harness = CacheHarness.coding { _ in .parts(parts, fields: Self.fields) }
        let response = try await harness.cache.respond(
            to: .test(.get, "/a", [.acceptEncoding: "gzip"]),
            through: harness.transport
        )
        #expect(response.head.headerFields[.contentEncoding] == "gzip" && response.head.headerFields[.contentLength] == nil)
        var iterator = response.body.makeAsyncIterator()
        let decoder = try ContentDecoder(codings: [.gzip])
        for part in parts {
            let coded = try #require(try await iterator.next())
            var text = ByteBuffer()
            let result = coded.withUnsafeReadableBytes { bytes in
                Result { () throws(CodingError) in try decoder.decode(bytes) { part throws(CodingError) in _ = text.writeBytes(part) } }
            }
            try result.get()
            #expect(String(buffer: text) == part)
        }
        while try await iterator.next() != nil {}
        await harness.transfersEnd()
        let hit = try await harness.coded("gzip")
        // Content that is cut into parts as it arrives has other bytes.
        #expect(hit.isFromCache && response.head.headerFields[.eTag] == hit.tag.map { "W/\($0)" })
        #expect(try hit.text == parts.joined())
    }

    @Test(arguments: ["gzip", nil] as [String?]) func contentInPiecesIsCodedWhileItIsRead(accepted: String?) async throws {
        let long = CodedPage.text(count: 2_000_000)
        let harness = CacheHarness.coding(origin: Self.origin(page: long))
        for isFromCache in [false, true] {
            let reply = try await harness.coded(accepted)
            await harness.transfersEnd()
            #expect(reply.isFromCache == isFromCache && reply.coding == accepted)
            #expect(try reply.text == long)
            if accepted != nil { #expect(reply.content.readableBytes < 200_000) }
        }
    }

    // MARK: Kept

    @Test func formsWeighWhatTheyAreAndGoWithTheResponse() async throws {
        let harness = CacheHarness.coding(origin: Self.origin([.init("Cache-Tag")!: "page"]))
        _ = try await harness.coded(nil)
        let before = harness.cache.entries.memoryWeight
        let form = try await harness.coded("gzip")
        let after = harness.cache.entries.memoryWeight
        #expect(after >= before + form.content.readableBytes)
        await harness.cache.removeAll()
        #expect(try await harness.coded("gzip").isFromCache == false)
        #expect(harness.requestCount == 2)
    }

    @Test func aStoreHasTheResponseAndAnotherCacheMakesFormsOfIt() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness.coding(stores: [store], time: time, origin: Self.origin())
        _ = try await harness.coded("gzip")
        _ = try await harness.coded("br")
        await harness.cache.flush()
        #expect(try await store.statistics().count == 1)
        let other = CacheHarness.coding(stores: [store], time: time, origin: Self.origin(page: "another"))
        let reply = try await other.coded("br")
        #expect(reply.isFromCache)
        #expect(try reply.text == Self.page)
        #expect(other.requestCount == 0)
    }
}
