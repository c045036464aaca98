// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport
import NIOCore
import Testing

@testable import HoardHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The form in which memory keeps responses must say all that the arriving form says.
@Suite struct PackedResponseTests {
    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    private func response(
        _ body: StoredBody,
        _ fields: HTTPFields = [.date: "Tue, 14 Nov 2023 22:13:20 GMT"],
        trailers: HTTPFields = [:]
    ) -> StoredResponse {
        StoredResponse(
            head: HTTPResponse(status: .ok, headerFields: fields),
            body: body,
            trailers: trailers,
            requestTime: date,
            responseTime: date,
            rules: HTTPCacheRules(mode: .shared)
        )
    }

    private func bytes(_ count: Int) -> ByteBuffer { ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }) }

    @Test(arguments: [0, 1, 1_024, PackedContent.maximumByteCount, PackedContent.maximumByteCount + 1])
    func packingChangesNothingThatIsAsked(_ count: Int) {
        // The second one has a head that bytes cannot stand for.
        for fields: HTTPFields in [[.date: "Tue, 14 Nov 2023 22:13:20 GMT", .contentLength: "\(count)"], [.age: "5"]] {
            let stored = response(StoredBody(bytes(count)), fields)
            let packed = stored.packed
            #expect(packed == stored)
            #expect(packed.hashValue == stored.hashValue)
            #expect(packed.head == stored.head)
            #expect(packed.weight == stored.weight)
            #expect(packed.body == stored.body)
            #expect(packed.body.bytesAtHand == bytes(count))
            #expect(packed.body.lengthAtHand == count)
            #expect(packed.body.completeLength == count)
            #expect(packed.body.storedByteCount == count)
            #expect(packed.body.byteCountAtHand == count)
            #expect(packed.body.extents == stored.body.extents)
            #expect(packed.body.ranges == stored.body.ranges)
            #expect(packed.body.references.isEmpty)
            #expect(packed.isComplete)
            #expect(packed.freshHit(isHead: false, at: date)?.contentByteCount == stored.freshHit(isHead: false, at: date)?.contentByteCount)
        }
    }

    @Test func shortContentLiesBehindTheHead() throws {
        let packed = response(StoredBody(bytes(100))).packed
        let wire = try #require(packed.wireHead)
        #expect(wire.content.count == 100)
        #expect(wire.withUnsafeBytes { $0.count } == wire.byteCount, "What is sent ends where the head does.")
        #expect(response(StoredBody(bytes(PackedContent.maximumByteCount + 1))).packed.wireHead?.content.count == 0)
    }

    @Test func rangesOfPackedContentAreThoseOfTheBuffer() {
        let whole = StoredBody(bytes(50))
        let packed = response(whole).packed.body
        for range in [0..<50, 0..<1, 49..<50, 10..<20, 10..<10, 40..<60, 60..<70, 50..<50] {
            #expect(packed.bytesAtHand(in: range) == whole.bytesAtHand(in: range), "\(range)")
            #expect(packed.contains(range) == whole.contains(range), "\(range)")
            #expect(packed.gaps(in: range) == whole.gaps(in: range), "\(range)")
        }
    }

    @Test func otherContentTakesThePlaceOfPackedContent() throws {
        var stored = response(StoredBody(bytes(100))).packed
        stored.body = StoredBody(bytes(3))
        #expect(stored.body.bytesAtHand == bytes(3))
        #expect(stored.packed.body.bytesAtHand == bytes(3))
        #expect(stored.packed.wireHead?.content.count == 3)
        stored = stored.packed
        stored.body = .empty
        #expect(stored.body == .empty)
        #expect(stored.packed.wireHead?.content.count == 0)
        stored = response(StoredBody(bytes(100))).packed
        stored.body.completeLength = 200
        #expect(!stored.packed.isComplete)
        #expect(stored.packed.body.bytesAtHand(in: 0..<100) == bytes(100))
    }

    @Test func contentOfAnotherResponseIsPackedAnewAndDoesNotKeepItAlive() throws {
        let old = response(StoredBody(bytes(10)), [.date: "Tue, 14 Nov 2023 22:13:20 GMT", .server: "a value that is not needed any more"]).packed
        let new = response(old.body).packed
        #expect(new.body == old.body)
        #expect(try #require(new.wireHead).content.count == 10)
        #expect(new.head.headerFields[.server] == nil)
    }

    @Test func whatFewResponsesHaveStaysWithPackedContent() {
        let fields: HTTPFields = [.date: "Tue, 14 Nov 2023 22:13:20 GMT", .cacheControl: "max-age=60"]
        var stored = response(StoredBody(bytes(10)), fields, trailers: [.server: "x"])
            .markedStale(at: date, rules: HTTPCacheRules(mode: .shared))
        #expect(stored.packed == stored)
        #expect(stored.packed.trailers == [.server: "x"])
        #expect(stored.packed.staleSince == date)
        #expect(stored.packed.body.bytesAtHand == bytes(10))
        stored = stored.packed
        stored.trailers = [:]
        #expect(stored.trailers.isEmpty)
        #expect(stored.body.bytesAtHand == bytes(10))
        #expect(stored.staleSince == date)
    }

    @Test func bodiesAreEqualIfTheirBytesAre() {
        let packed = response(StoredBody(bytes(10))).packed.body
        #expect(packed == StoredBody(bytes(10)))
        #expect(StoredBody(bytes(10)) == packed)
        #expect(packed != StoredBody(bytes(9)))
        #expect(packed != StoredBody(ByteBuffer(repeating: 1, count: 10)))
        #expect(packed != StoredBody(extents: [], completeLength: 10))
        #expect(packed.hashValue == StoredBody(bytes(10)).hashValue)
    }

    @Test func additionsToPackedContentAreThoseToABuffer() {
        var whole = StoredBody(bytes(10))
        var packed = response(whole).packed.body
        whole.completeLength = 20
        packed.completeLength = 20
        let more = StoredBody.Extent(offset: 10, length: 10, source: .bytes(bytes(10)))
        #expect(packed.adding(more) == whole.adding(more))
    }

    /// Memory has one of each for every entry.
    @Test func entryIsOnePointer() {
        #expect(MemoryLayout<HTTPCacheEntry>.size == MemoryLayout<Int>.size)
        #expect(MemoryLayout<HTTPCacheEntry?>.size == MemoryLayout<Int>.size)
    }
}
