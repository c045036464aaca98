// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardCodings
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardHTTP

private let pairCount = Int(ProcessInfo.processInfo.environment["HOARD_DICTIONARY_PAIRS"] ?? "")

/// Compression dictionaries (RFC 9842) that the cache manages: a client that has an older page gets only the new parts.
@Suite("HTTPCache with dictionaries", .timeLimit(.minutes(pairCount == nil ? 5 : 240)), .enabled(if: ContentCoding.available.contains(.zstandard)))
struct HTTPCacheDictionaryTests {
    private static let fields: HTTPFields = [
        .cacheControl: "max-age=600", .contentType: "text/javascript", .useAsDictionary: "match=\"/app/*\", id=\"one\"",
    ]

    /// Text that does not compress much by itself, of which a hundredth is another in each version.
    static func text(_ version: Int, count: Int = 20_000) -> String {
        var generator = SeededGenerator(seed: 7)
        var lines = (0..<count / 40).map { _ in String(UInt64.random(in: 0 ... .max, using: &generator), radix: 36) + " abcdefghijklmnopqrstuvwxy" }
        for index in stride(from: version, to: lines.count, by: 100) { lines[index] = "version \(version), line \(index)" }
        return lines.joined(separator: "\n")
    }

    private static func harness(_ more: HTTPFields = [:], partition: String = "", count: Int = 20_000) -> CacheHarness {
        let fields = fields.filter { !more.contains($0.name) }
        return CacheHarness.coding(configure: {
            $0.partition = partition
            $0.contentCodings?.maximumDictionaryBytes = 8 << 20
        }) { [fields = HTTPFields(fields) + more] request in
            let path = request.head.path ?? ""
            return .text(text(Int(path.filter(\.isNumber)) ?? 0, count: count), fields: fields + [.eTag: "\"\(path)\""])
        }
    }

    private static func digest(_ content: String) -> [UInt8] {
        DictionaryUse(fields, of: "http://example.com/app/1").map { CompressionDictionary(Array(content.utf8), $0).digest } ?? []
    }

    private static func available(_ content: String) -> HTTPFields {
        [.availableDictionary: ":\(Data(digest(content)).base64EncodedString()):", .dictionaryID: "\"one\""]
    }

    @Test func theDigestIsSHA256() {
        #expect(Self.digest("abc").hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    /// Undoes `dcz` as a client does.
    private static func decoded(_ content: ByteBuffer, with dictionary: String) throws -> String {
        var content = content
        let header = content.readBytes(length: 40)
        #expect(header == [0x5e, 0x2a, 0x4d, 0x18, 0x20, 0, 0, 0] + digest(dictionary))
        return String(buffer: try content.decoded([.zstandard], dictionary: Array(dictionary.utf8)))
    }

    private func get(_ harness: CacheHarness, _ path: String, _ fields: HTTPFields = [:], accepts: String = "gzip, br, zstd, dcz") async throws
        -> CodedReply
    {
        let reply = try await harness.coded(accepts, path, fields)
        await harness.transfersEnd()
        await harness.cache.flush()
        return reply
    }

    @Test(arguments: [20_000, 272_000]) func whoHasAnOldVersionGetsWhatIsNew(count: Int) async throws {
        let harness = Self.harness(count: count)
        let old = Self.text(1, count: count)
        #expect(try await get(harness, "/app/1").text == old)
        for _ in 1...3 {
            let reply = try await get(harness, "/app/2", Self.available(old))
            #expect(reply.coding == "dcz")
            #expect(try Self.decoded(reply.content, with: old) == Self.text(2, count: count))
            #expect(reply.head.headerFields[values: .vary].joined(separator: ", ") == "Accept-Encoding, Available-Dictionary")
            // Content in pieces is coded while it is sent, so its bytes do not come again.
            let isKept = count == 20_000
            #expect(reply.tag?.hasPrefix(isKept ? "\"/app/2:dcz-" : "W/\"/app/2:dcz-") == true)
            #expect(reply.content.readableBytes < count / 25, "\(reply.content.readableBytes) bytes")
        }
        #expect(harness.requestCount == 2)
        #expect(
            harness.transport.requests.allSatisfy {
                !$0.head.headerFields.contains(.availableDictionary) && !$0.head.headerFields.contains(.dictionaryID)
            }
        )
        // Other clients get a coding that they accept.
        let plain = try await get(harness, "/app/2", [:], accepts: "gzip")
        #expect(plain.coding == "gzip")
        #expect(try plain.text == Self.text(2, count: count))
    }

    @Test func theDictionaryIsUsedOnlyIfEverythingFits() async throws {
        let harness = Self.harness()
        let old = Self.text(1)
        _ = try await get(harness, "/app/1")
        for (path, fields, accepts) in [
            ("/other/2", Self.available(old), "dcz, gzip"), ("/app/2", Self.available("another"), "dcz, gzip"),
            ("/app/2", Self.available(old), "gzip"),
            ("/app/2", Self.available(old), "dcz;q=0, gzip"), ("/app/2", [:], "dcz, gzip"), ("/app/2", [.availableDictionary: "odd"], "dcz, gzip"),
            ("/app/2", [.availableDictionary: ":AAAA:"], "dcz, gzip"),
        ] as [(String, HTTPFields, String)] {
            for _ in 1...2 {
                let reply = try await get(harness, path, fields, accepts: accepts)
                #expect(reply.coding == "gzip", "\(path) \(accepts)")
                #expect(try reply.text == Self.text(2))
            }
        }
        #expect(try await get(harness, "/app/2", Self.available(old), accepts: "dcz;q=0.5").coding == "dcz")
    }

    @Test func noOtherSiteAndNoOtherPartitionHasTheDictionary() async throws {
        let harness = Self.harness()
        let old = Self.text(1)
        _ = try await get(harness, "/app/1")
        var request = HTTPRequest.test(.get, "/app/2", Self.available(old) + [.acceptEncoding: "dcz, gzip"])
        for (authority, partition) in [("other.example", nil), ("example.com:81", nil), ("example.com", "ann")] as [(String, String?)] {
            request.authority = authority
            for _ in 1...2 {
                let response = try await harness.cache.respond(to: request, partition: partition, through: harness.transport)
                #expect(response.head.headerFields[.contentEncoding] == "gzip")
                _ = try await response.body.collect(upTo: 1 << 20)
            }
        }
    }

    @Test(arguments: ["match=\"/app/*\", type=zip", "match=\"https://other.example/*\"", "odd"])
    func aResponseThatIsNoDictionaryIsNone(field: String) async throws {
        let harness = Self.harness([.useAsDictionary: field])
        _ = try await get(harness, "/app/1")
        #expect(try await get(harness, "/app/2", Self.available(Self.text(1))).coding != "dcz")
    }

    @Test func conditionsHoldForFormsWithDictionariesToo() async throws {
        let harness = Self.harness()
        _ = try await get(harness, "/app/1")
        let tag = try #require(await get(harness, "/app/2", Self.available(Self.text(1))).tag)
        for fields in [Self.available(Self.text(1)), [:]] {
            let reply = try await get(harness, "/app/2", fields + [.ifNoneMatch: tag])
            #expect(reply.code == 304 && reply.tag == tag)
        }
    }

    @Test func theNumberOfFormsAndTheBytesOfDictionariesAreBounded() async throws {
        let harness = Self.harness()
        for version in 1...20 { _ = try await get(harness, "/app/\(version)") }
        for version in 1...20 {
            let reply = try await get(harness, "/app/99", Self.available(Self.text(version)))
            #expect(reply.coding == "dcz")
            #expect(try Self.decoded(reply.content, with: Self.text(version)) == Self.text(99))
        }
        let key = HTTPCacheKey(scope: harness.cache.baseScope, targetURI: "http://example.com/app/99")
        guard case .response(let stored)? = harness.cache.entries.memoryLookup(forKey: key)?.value else {
            Issue.record("It is not in memory.")
            return
        }
        #expect(stored.forms.count <= CodedForm.maximumCount)
    }

    @Test func withoutTheSettingTheFieldsGoToTheOriginAsTheyAre() async throws {
        let harness = CacheHarness.coding { _ in .text(Self.text(1), fields: Self.fields) }
        let reply = try await get(harness, "/app/1", Self.available("x"))
        #expect(reply.head.headerFields[.vary] == "Accept-Encoding")
        #expect(harness.transport.requests[0].head.headerFields.contains(.availableDictionary))
    }

    @Test func randomPairsOfDictionariesAndContentComeBackAsTheyWere() async throws {
        let count = pairCount ?? 2_000
        let seed = UInt64(ProcessInfo.processInfo.environment["HOARD_DICTIONARY_SEED"] ?? "") ?? .random(in: 0 ... .max)
        print("Pairs of dictionary and content: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let use = try #require(DictionaryUse(Self.fields, of: "http://example.com/app/1"))
        let maker = FormMaker(maximumBytes: 1 << 20)
        for number in 0..<count {
            let context: Comment = "seed \(seed), pair \(number)"
            let letters = UInt8.random(in: 1...255, using: &generator)
            var dictionary = (0..<Int.random(in: 1...2_000, using: &generator)).map { _ in UInt8.random(in: 0...letters, using: &generator) }
            var content = dictionary
            for _ in 0..<Int.random(in: 0...10, using: &generator) {
                let place = Int.random(in: 0...content.count, using: &generator)
                if Bool.random(using: &generator) {
                    content.insert(contentsOf: dictionary.prefix(Int.random(in: 0...100, using: &generator)), at: place)
                } else {
                    content.removeSubrange(place..<min(content.count, place + 20))
                }
            }
            let known = CompressionDictionary(dictionary, use)
            let job = FormMaker.Job(key: HTTPCacheKey(scope: "", targetURI: ""), own: nil, target: FormKind(known))
            guard case .coded(var coded) = await maker.form(of: ByteBuffer(bytes: content), job, keep: { _ in }) else { continue }
            coded.moveReaderIndex(forwardBy: 40)
            #expect(try Array(buffer: coded.decoded([.zstandard], dictionary: dictionary)) == content, context)
            // Cut, damaged, or with another dictionary: refused, or the same.
            var damaged = coded
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                damaged =
                    damaged.getSlice(at: damaged.readerIndex, length: Int.random(in: 0..<max(1, damaged.readableBytes), using: &generator)) ?? damaged
            case 1 where damaged.readableBytes > 0:
                let place = damaged.readerIndex + Int.random(in: 0..<damaged.readableBytes, using: &generator)
                damaged.setInteger(UInt8.random(in: 0...255, using: &generator), at: place)
            default: dictionary[0] &+= 1
            }
            if let decoded = try? damaged.decoded([.zstandard], .init(maximumBytes: 1 << 20), dictionary: dictionary) {
                #expect(Array(buffer: decoded) == content, context)
            }
        }
    }
}
