// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import NIOCore
import Testing

@testable import HoardHTTP

/// The stored form of entries: exact for everything that can be stored, harmless for any other bytes.
@Suite struct StoredEntryCodingTests {
    private static let rules = HTTPCacheRules(mode: .private)
    private let codec = Codec<HTTPCacheEntry>.httpCacheEntry(rules: rules)

    // MARK: Round trips

    private static func response(_ body: StoredBody, _ fields: HTTPFields = [:]) -> StoredResponse {
        StoredResponse(head: .test(200, fields), body: body, requestTime: .test(0), responseTime: .test(0), rules: rules)
    }

    static let responses: [StoredResponse] = [
        response(.empty),
        response(StoredBody(ByteBuffer(string: "hello")), [.cacheControl: "max-age=60", .eTag: "\"\u{E4}\"", .server: ""]),
        response(StoredBody(ByteBuffer(string: "\u{0}\u{1}\r\n")), [.contentType: "text/html"]),
        StoredResponse(
            head: HTTPResponse(status: .init(code: 999, reasonPhrase: "Nine \u{E9}"), headerFields: [:]),
            body: StoredBody(ByteBuffer(bytes: 0...255)),
            trailers: [.eTag: "ab", .server: ""],
            requestTime: Date(timeIntervalSince1970: -1.5),
            responseTime: Date(timeIntervalSince1970: 4_102_444_800.25),
            rules: rules
        ),
        response(StoredBody(extents: [], completeLength: nil)),
        response(StoredBody(extents: [], completeLength: 10)),
        response(
            StoredBody(
                extents: [
                    .init(offset: 3, length: 2, source: .bytes(ByteBuffer(string: "ab"))),
                    .init(offset: 5, length: 1 << 20, source: .reference(BodyReference(id: .max, segmentLength: 1 << 18, length: 1 << 20))),
                    .init(
                        offset: 1 << 40,
                        length: 7,
                        source: .reference(BodyReference(id: 0, segmentLength: 1, length: 10, start: 3, keptUntil: .test(0.5)))
                    ),
                ],
                completeLength: nil
            )
        ),
    ]

    @Test(arguments: responses)
    func responseComesBackAsItWas(response: StoredResponse) throws {
        try expectRoundTrip(of: response)
    }

    @Test func fieldsComeBackInTheirOrderWithTheirBytesAndTheirSpelling() throws {
        var fields = HTTPFields()
        let values: [(name: String, value: [UInt8])] = [
            ("Set-Cookie", Array("b=1".utf8)), ("ETAG", [0x22, 0xFF, 0xFE, 0x22]), ("set-cookie", Array("a=2".utf8)), ("X-Empty", []),
            ("x-UTF8", Array("\u{1F600}e\u{301}".utf8)), ("Set-Cookie", Array("b=1".utf8)), ("X-Tab", Array("a\tb".utf8)),
        ]
        for (name, value) in values {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        try expectRoundTrip(of: Self.response(.empty, fields))
    }

    @Test func bytesThatATransportTakesLenientlyComeBackUnchanged() throws {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .server, lenientValue: [0x61, 0x01, 0x7F, 0x62]))
        try expectRoundTrip(of: Self.response(.empty, fields))
    }

    @Test func headsThatAreKeptAsBytesComeBackWithTheirValidators() throws {
        let tags = ["\"1\"", "W/\"1\"", ""]
        for eTags in [[], [0], [2], [0, 0], [0, 1]] as [[Int]] {
            for dates in [[], ["Mon, 13 Nov 2023 00:00:00 GMT"], ["x", "y"]] as [[String]] {
                var fields: HTTPFields = [.date: "Mon, 13 Nov 2023 00:00:00 GMT", .contentLength: "2", .server: "a\tb c"]
                for index in eTags { fields.append(HTTPField(name: .eTag, value: tags[index])) }
                for date in dates { fields.append(HTTPField(name: .lastModified, value: date)) }
                for value in ["b=1", "a=2"] { fields.append(HTTPField(name: .setCookie, value: value)) }
                fields.append(HTTPField(name: .hoardPolicy, value: "x"))
                let response = Self.response(StoredBody(ByteBuffer(string: "hi")), fields)
                #expect(response.packed.wireHead != nil)
                #expect(response.packed.validators == Validators(of: fields), "\(fields)")
                try expectRoundTrip(of: response.packed)
                #expect(try codec.encode(.response(response.packed)) == codec.encode(.response(response)))
            }
        }
    }

    @Test func indexesComeBackAsTheyWere() throws {
        for sets in [[], [[]], [["accept-language"]], [["accept", "cookie"], [], ["x"]]] as [[[String]]] {
            let variants = sets.map { VariantIndex.Variant(fieldNames: $0, digest: "00112233445566778899aabbccddeeff") }
            let entry = HTTPCacheEntry.variants(VariantIndex(generation: .max, fieldNameSets: sets, variants: variants))
            #expect(try codec.decode(codec.encode(entry)) == entry)
        }
    }

    @Test(arguments: [0, 1, 300_000])
    func segmentsComeBackAsTheyWere(length: Int) throws {
        let entry = HTTPCacheEntry.segment(ByteBuffer(repeating: 7, count: length))
        #expect(try codec.decode(codec.encode(entry)) == entry)
    }

    @Test func searchRulesComeBackAsTheyWere() throws {
        let rules = ["params", "key-order", "params=(\"a\" \"b\")", "params, except=(\"id\")"].compactMap { NoVarySearch([.noVarySearch: $0]) }
        #expect(rules.count == 4)
        let entry = HTTPCacheEntry.searchRules(rules)
        #expect(try codec.decode(codec.encode(entry)) == entry)
    }

    @Test func randomEntriesComeBackAsTheyWere() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomSource(seed: seed)
        for _ in 1...300 {
            let entry = Self.randomEntry(&random)
            if case .response(let response) = entry {
                try expectRoundTrip(of: response, "seed \(seed)")
            } else {
                #expect(try codec.decode(codec.encode(entry)) == entry, "seed \(seed)")
            }
        }
    }

    // MARK: Damage

    @Test func everyTruncationIsAnError() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomSource(seed: seed)
        for _ in 1...5 {
            let encoded = try codec.encode(Self.randomEntry(&random))
            for length in 0..<encoded.count {
                #expect(throws: CacheError.self, "seed \(seed), first \(length) of \(encoded.count) bytes") {
                    try codec.decode(encoded.prefix(length))
                }
            }
        }
    }

    @Test func whateverFollowsAnEntryIsAnError() throws {
        for response in Self.responses {
            let encoded = try codec.encode(.response(response))
            #expect(throws: CacheError.self) { try codec.decode(encoded + [0]) }
            #expect(throws: CacheError.self) { try codec.decode(encoded + encoded) }
        }
    }

    @Test func flippedBytesGiveAnErrorOrAnEntryButNeverACrash() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomSource(seed: seed)
        var decodedCount = 0
        for _ in 1...3_000 {
            var encoded = try codec.encode(Self.randomEntry(&random))
            for _ in 1...random.int(1...4) { encoded[random.int(0...encoded.count - 1)] = .random(in: .min ... .max, using: &random) }
            guard let entry = try? codec.decode(encoded) else { continue }
            decodedCount += 1
            // An accepted entry is like any other.
            #expect(throws: Never.self, "seed \(seed)") { try codec.decode(codec.encode(entry)) }
        }
        #expect(decodedCount > 0, "seed \(seed): flips in a body are no errors to the decoder")
    }

    @Test func randomBytesGiveAnErrorOrAnEntryButNeverACrash() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomSource(seed: seed)
        var errorCount = 0
        for _ in 1...3_000 {
            // The first two bytes decide how the rest is read, so they are often right.
            let start: [UInt8] = random.once(in: 3) ? [] : [2, UInt8(random.int(0...4))]
            do {
                _ = try codec.decode(Data(start + random.bytes(random.int(0...200))))
            } catch {
                errorCount += 1
                #expect(error.code == .codingFailed)
            }
        }
        #expect(errorCount > 2_000, "seed \(seed)")
    }

    // MARK: Lies

    @Test func lengthsThatPromiseMoreThanThereIsAreErrors() throws {
        for length in [1, 6, 1 << 20, 1 << 40, UInt64(Int.max), UInt64(Int.max) + 1, .max] {
            var claim = RawEntry()
            claim.extents = RawEntry.extent(offset: 0, length: length)
            #expect(throws: CacheError.self, "a body of \(length) bytes") { try codec.decode(claim.data) }
        }
        for length in [6, 1 << 16, UInt32(Int32.max), .max] {
            var claim = RawEntry()
            claim.reasonLength = length
            #expect(throws: CacheError.self, "a reason of \(length) bytes") { try codec.decode(claim.data) }
        }
        for count in [1, 1_000, UInt16.max] {
            var claim = RawEntry()
            claim.fieldCount = count
            #expect(throws: CacheError.self, "\(count) fields") { try codec.decode(claim.data) }
        }
        let indexWithGeneration: [UInt8] = [2, 1] + Array(repeating: 7, count: 8)
        let setsOfManyNames = Data(indexWithGeneration + [255, 255, 255])
        #expect(throws: CacheError.self) { try codec.decode(setsOfManyNames) }
        let moreSetsThanAreKept = Data(indexWithGeneration + [9] + Array(repeating: 0, count: 20))
        #expect(throws: CacheError.self) { try codec.decode(moreSetsThanAreKept) }
        #expect(throws: Never.self) { try codec.decode(Data(indexWithGeneration + [8] + Array(repeating: 0, count: 18))) }
    }

    @Test func moreFieldsThanAMessageCanHaveAreAnError() throws {
        var claim = RawEntry()
        claim.fieldCount = .max
        claim.fields = Data((0..<65_535).flatMap { _ in [0, 0, 0, 1, 0x61, 0, 0, 0, 0] as [UInt8] })
        #expect(throws: CacheError.self) { try codec.decode(claim.data) }
    }

    @Test func responseWithMoreFieldsThanCanBeReadBackIsNotWritten() throws {
        var fields = HTTPFields()
        for _ in 1...65_530 { fields.append(HTTPField(name: .server, value: "")) }
        #expect(throws: CacheError.self) { try codec.encode(.response(Self.response(.empty, fields))) }
    }

    @Test func entryWithoutLiesDecodes() throws {
        // The examples above differ from this one in one respect each.
        let entry = try codec.decode(RawEntry().data)
        guard case .response(let response) = entry else { return #expect(Bool(false), "\(entry) is not a response") }
        #expect(response.head.status.code == 200)
        #expect(response.requestTime == Date(timeIntervalSince1970: 1))
        #expect(response.body == .empty)
    }

    @Test(arguments: [0, 99, 1_000, UInt16.max])
    func statusThatIsNoneIsAnError(code: UInt16) {
        var claim = RawEntry()
        claim.code = code
        #expect(throws: CacheError.self) { try codec.decode(claim.data) }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func timeThatIsNoneIsAnError(seconds: Double) {
        var claim = RawEntry()
        claim.responseTime = seconds
        #expect(throws: CacheError.self) { try codec.decode(claim.data) }
    }

    @Test(arguments: ["", " ", ":status", "a b", "a:", "\u{E4}", "a\n"])
    func fieldNameThatIsNoneIsAnError(name: String) {
        var claim = RawEntry()
        claim.fieldCount = 1
        claim.fields = Data([0, 0, 0, UInt8(name.utf8.count)] + Array(name.utf8) + [0, 0, 0, 0])
        #expect(throws: CacheError.self) { try codec.decode(claim.data) }
    }

    @Test(arguments: [0, 1, 3, 255] as [UInt8])
    func otherVersionIsAnError(version: UInt8) {
        var claim = RawEntry()
        claim.version = version
        #expect(throws: CacheError.self) { try codec.decode(claim.data) }
    }

    @Test(
        arguments: [
            (5, [(0, 3), (2, 2)]), (5, [(2, 2), (0, 2)]), (5, [(0, 6)]), (5, [(5, 1)]), (5, [(0, 0)]), (.max, [(.max - 1, 3)]),
            (nil, [(1, 2), (1, 2)]),
        ] as [(UInt64?, [(UInt64, UInt64)])]
    )
    func extentsThatOverlapOrGoBeyondTheEndAreErrors(completeLength: UInt64?, ranges: [(UInt64, UInt64)]) {
        var claim = RawEntry()
        claim.completeLength = completeLength ?? .max
        claim.extents = Data()
        claim.extentCount = UInt16(ranges.count)
        for (offset, length) in ranges {
            claim.extents += RawEntry.extent(offset: offset, length: length, reference: (1 << 18, UInt64(Int.max / 4), 0))
        }
        #expect(throws: CacheError.self) { try codec.decode(claim.data) }
    }

    @Test func moreExtentsThanAreEverWrittenAreAnError() {
        var claim = RawEntry()
        claim.completeLength = .max
        for (count, isError) in [(StoredBody.maximumExtentCount, false), (StoredBody.maximumExtentCount + 1, true)] {
            claim.extentCount = UInt16(count)
            claim.extents = Data()
            for index in 0..<UInt64(count) { claim.extents += RawEntry.extent(offset: index * 20, length: 10, reference: (1 << 18, 10, 0)) }
            #expect((try? codec.decode(claim.data)) == nil ? isError : !isError)
        }
    }

    @Test(
        arguments: [
            (0, 10, 0), (1 << 18, 9, 0), (1 << 18, 10, 1), (1 << 25, 10, 0), (.max, 10, 0), (1 << 18, .max, 0), (1 << 18, 10, .max),
            (1 << 18, 10, 11), (1, 1 << 61, 0), (1 << 18, (1 << 38) + 1, 0),
        ] as [(UInt64, UInt64, UInt64)]
    )
    func referencesThatCannotHoldTheirExtentAreErrors(segmentLength: UInt64, length: UInt64, start: UInt64) {
        var claim = RawEntry()
        claim.completeLength = 10
        claim.extentCount = 1
        claim.extents = RawEntry.extent(offset: 0, length: 10, reference: (segmentLength, length, start))
        #expect(throws: CacheError.self) { try codec.decode(claim.data) }
        claim.extents = RawEntry.extent(offset: 0, length: 10, reference: (1 << 18, 10, 0))
        #expect(throws: Never.self) { try codec.decode(claim.data) }
    }

    // MARK: Helpers

    private func expectRoundTrip(
        of response: StoredResponse,
        _ comment: @autoclosure () -> Comment = "",
        location: SourceLocation = #_sourceLocation
    ) throws {
        let entry = try codec.decode(codec.encode(.response(response)))
        guard case .response(let decoded) = entry else { throw UnexpectedAction(action: "\(entry)") }
        #expect(decoded == response, comment(), sourceLocation: location)
        // Equality of fields heeds neither the order of different names nor the spelling of names.
        #expect(decoded.head.headerFields.exactLines == response.head.headerFields.exactLines, comment(), sourceLocation: location)
    }

    private static func randomEntry(_ random: inout RandomSource) -> HTTPCacheEntry {
        if random.once(in: 8) { return .segment(ByteBuffer(bytes: random.bytes(random.int(0...100)))) }
        if random.once(in: 4) {
            var sets: [[String]] = []
            for _ in 0..<random.int(0...VariantIndex.maximumFieldNameSets) {
                let names = (0..<random.int(0...4)).map { _ in String(repeating: random.pick(["a", "accept", "x-1"]), count: random.int(0...3)) }
                if !sets.contains(names) { sets.append(names) }
            }
            let variants =
                sets.isEmpty
                ? []
                : (0..<random.int(0...20)).map { _ in
                    VariantIndex.Variant(fieldNames: random.pick(sets), digest: random.bytes(16).hexadecimal)
                }
            return .variants(VariantIndex(generation: random.next(), fieldNameSets: sets, variants: variants))
        }
        var fields = HTTPFields()
        for _ in 0..<random.int(0...12) {
            let name = random.pick([HTTPField.Name.setCookie, .vary, .eTag, .cacheControl, .server])
            fields.append(HTTPField(name: name, value: random.bytes(random.int(0...20))))
        }
        return .response(
            StoredResponse(
                head: HTTPResponse(
                    status: .init(code: random.int(100...999), reasonPhrase: random.pick(["", "OK", "\u{FF}"])),
                    headerFields: fields
                ),
                body: randomBody(&random),
                trailers: random.once(in: 3) ? [.server: "x"] : [:],
                requestTime: .test(Double(random.int(-1_000_000_000...1_000_000_000)) / 8),
                responseTime: .test(Double(random.int(-1_000_000_000...1_000_000_000)) / 8),
                rules: rules
            )
        )
    }

    private static func randomBody(_ random: inout RandomSource) -> StoredBody {
        var extents: [StoredBody.Extent] = []
        var end = 0
        for _ in 0..<random.int(0...4) {
            let (offset, length) = (end + random.int(0...3), random.int(1...30))
            end = offset + length
            var source = StoredBody.Source.bytes(ByteBuffer(bytes: random.bytes(length)))
            if random.once(in: 3) {
                let start = random.int(0...9)
                source = .reference(BodyReference(id: random.next(), segmentLength: 16, length: start + length + random.int(0...9), start: start))
            }
            extents.append(.init(offset: offset, length: length, source: source))
        }
        return StoredBody(extents: extents, completeLength: random.once(in: 3) ? nil : end + random.int(0...2))
    }
}

/// The stored form of a response, written by hand so that it can lie.
private struct RawEntry {
    var version: UInt8 = 2
    var responseTime: Double = 2
    var code: UInt16 = 200
    var reasonLength: UInt32 = 0
    var fieldCount: UInt16 = 0
    var fields = Data()
    var trailerCount: UInt16 = 0
    var completeLength: UInt64 = 0
    var extentCount: UInt16?
    var extents = Data()

    static func extent(offset: UInt64, length: UInt64, reference: (segmentLength: UInt64, length: UInt64, start: UInt64)? = nil) -> Data {
        var buffer = ByteBuffer()
        buffer.writeMultipleIntegers(offset, length, reference == nil ? 0 : 1 as UInt8)
        if let reference { buffer.writeMultipleIntegers(1 as UInt64, reference.segmentLength, reference.length, reference.start, (0.0).bitPattern) }
        return Data(buffer.readableBytesView)
    }

    var data: Data {
        var buffer = ByteBuffer(bytes: [version, 0])
        buffer.writeInteger((1.0).bitPattern)
        buffer.writeInteger(responseTime.bitPattern)
        buffer.writeInteger(code)
        buffer.writeInteger(reasonLength)
        buffer.writeInteger(fieldCount)
        buffer.writeBytes(fields)
        buffer.writeInteger(trailerCount)
        buffer.writeInteger(completeLength)
        buffer.writeInteger(extentCount ?? (extents.isEmpty ? 0 : 1))
        buffer.writeBytes(extents)
        return Data(buffer.readableBytesView)
    }
}

extension HTTPFields {
    /// The fields to the byte, in order.
    fileprivate var exactLines: [[UInt8]] {
        map { Array($0.name.rawName.utf8) + [0] + $0.valueBytes }
    }
}
