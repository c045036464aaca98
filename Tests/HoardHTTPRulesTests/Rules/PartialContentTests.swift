// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import NIOCore
import Testing

@Suite struct PartialContentTests {
    private let rules = HTTPCacheRules(mode: .shared)

    private func part(_ status: Int = 206, _ lines: String..., bodyLength: Int? = nil) -> PartialContent? {
        PartialContent(response(status, lines), bodyLength: bodyLength)
    }

    @Test func saysWhereItsContentLies() throws {
        let content = try #require(part(206, "Content-Range: bytes 4-9/10", "ETag: \"a\""))
        #expect(content.range == 4..<10)
        #expect(content.completeLength == 10)
        #expect(content.validator == .entityTag(EntityTag("\"a\"".utf8)))
        #expect(part(206, "Content-Range: bytes 4-9/*")?.completeLength == nil)
    }

    @Test func isNoneWithoutAPlace() {
        #expect(part(206) == nil)
        #expect(part(206, "Content-Range: bytes */10") == nil)
        #expect(part(206, "Content-Range: bytes 9-4/10") == nil)
        #expect(part(200, "Content-Range: bytes 4-9/10") == nil)
        #expect(part(416, "Content-Range: bytes 4-9/10") == nil)
    }

    @Test(arguments: ["multipart/byteranges", "Multipart/ByteRanges; boundary=x", "multipart/byteranges;boundary=x"])
    func isNoneWithSeveralParts(type: String) {
        #expect(part(206, "Content-Range: bytes 4-9/10", "Content-Type: \(type)") == nil)
        #expect(part(206, "Content-Range: bytes 4-9/10", "Content-Type: multipart/mixed") != nil)
    }

    @Test func isNoneIfItsLengthContradictsItsPlace() {
        #expect(part(206, "Content-Range: bytes 4-9/10", bodyLength: 6) != nil)
        #expect(part(206, "Content-Range: bytes 4-9/10", bodyLength: 5) == nil)
        #expect(part(206, "Content-Range: bytes 4-9/10", "Content-Length: 6") != nil)
        #expect(part(206, "Content-Range: bytes 4-9/10", "Content-Length: 5") == nil)
        #expect(part(206, "Content-Range: bytes 4-9/10", "Content-Length: 6", bodyLength: 7) == nil)
        #expect(part(206, "Content-Range: bytes 0-0/*", bodyLength: 0) == nil)
    }

    @Test func hasTheHeadOfTheWhole() throws {
        let known = response(206, "Content-Range: bytes 4-9/10", "A: 1", "Content-Length: 6", "ETag: \"a\"")
        let head = try #require(PartialContent(known, bodyLength: 6)).wholeHead(of: known)
        #expect(head.status == .ok)
        #expect(Set(head.headerFields.lines) == ["A: 1", "Content-Length: 10", "ETag: \"a\""])
        let unknown = response(206, "Content-Range: bytes 4-9/*", "Content-Length: 6")
        #expect(try #require(PartialContent(unknown, bodyLength: 6)).wholeHead(of: unknown).headerFields.isEmpty)
    }

    @Test(
        arguments: [
            (["ETag: \"a\""], ["ETag: \"a\""], true), (["ETag: \"a\""], ["ETag: \"b\""], false), (["ETag: W/\"a\""], ["ETag: W/\"a\""], false),
            (["ETag: \"a\""], ["ETag: W/\"a\""], false), (["ETag: a"], ["ETag: a"], false), ([], [], false), (["ETag: \"a\""], [], false),
            (["ETag: \"a\"", "ETag: \"b\""], ["ETag: \"a\"", "ETag: \"b\""], false),
            // A date long before the response is as good as a strong tag, one shortly before it is not.
            ([longAgo, date], [longAgo, date], true), ([longAgo], [longAgo, date], false), ([justNow, date], [justNow, date], false),
            ([longAgo, date], [longAgo, date, "ETag: \"a\""], false), ([longAgo, date, "ETag: W/\"a\""], [longAgo, date, "ETag: W/\"a\""], false),
            (["Last-Modified: Wed, 31 Dec 2025 23:00:01 GMT", date], [longAgo, date], false),
        ] as [([String], [String], Bool)]
    )
    func isCombinedOnlyIfTheStrongValidatorIsTheSame(new: [String], stored: [String], expected: Bool) throws {
        let message = response(206, new + ["Content-Range: bytes 4-9/10"])
        let content = try #require(PartialContent(message, bodyLength: nil))
        #expect(content.mayCombine(with: response(200, stored), new: message, completeLength: 10) == expected)
        #expect(content.mayCombine(with: response(404, stored), new: message, completeLength: 10) == false)
    }

    private static let date = "Date: Thu, 01 Jan 2026 00:00:00 GMT"
    private static let longAgo = "Last-Modified: Wed, 31 Dec 2025 23:00:00 GMT"
    private static let justNow = "Last-Modified: Wed, 31 Dec 2025 23:59:01 GMT"

    @Test(
        arguments: [
            ("bytes 4-9/10", 10, true), ("bytes 4-9/10", nil, true), ("bytes 4-9/*", 10, true), ("bytes 4-9/*", nil, true),
            ("bytes 4-9/10", 11, false),
            ("bytes 4-9/*", 9, false), ("bytes 4-9/10", 9, false),
        ] as [(String, Int?, Bool)]
    )
    func isCombinedOnlyIfTheLengthsAgree(place: String, storedLength: Int?, expected: Bool) throws {
        let message = response(206, "Content-Range: \(place)", "ETag: \"a\"")
        let content = try #require(PartialContent(message, bodyLength: nil))
        #expect(content.mayCombine(with: response(200, "ETag: \"a\""), new: message, completeLength: storedLength) == expected)
    }

    @Test func isNotCombinedBeyondWhatAMessageCanHold() throws {
        var message = response(206, "Content-Range: bytes 4-9/10", "ETag: \"a\"")
        let filler = try #require(HTTPField.Name("x"))
        for _ in 0..<40_000 { message.headerFields.append(HTTPField(name: filler, value: "")) }
        var stored = message
        stored.status = .ok
        #expect(try #require(PartialContent(message, bodyLength: nil)).mayCombine(with: stored, new: message, completeLength: 10) == false)
    }

    @Test func combinesTheHeads() throws {
        let new = response(
            206,
            "Content-Range: bytes 4-9/10",
            "ETag: \"a\"",
            "Content-Length: 6",
            "A: 2",
            "Date: Thu, 01 Jan 2026 00:00:09 GMT",
            "Connection: x",
            "X: 1"
        )
        let stored = response(200, "ETag: \"a\"", "A: 1", "A: 0", "B: 1", "Date: Thu, 01 Jan 2026 00:00:00 GMT", "Age: 7", "Content-Encoding: gzip")
        let content = try #require(PartialContent(new, bodyLength: nil))
        let combined = content.combinedHead(stored: stored, new: new, completeLength: nil, rules: rules)
        #expect(combined.status == .ok)
        #expect(
            Set(combined.headerFields.lines)
                == ["B: 1", "Content-Encoding: gzip", "ETag: \"a\"", "A: 2", "Date: Thu, 01 Jan 2026 00:00:09 GMT", "Content-Length: 10"]
        )
        let unknown = response(206, "Content-Range: bytes 4-9/*", "ETag: \"a\"")
        let open = try #require(PartialContent(unknown, bodyLength: nil))
        #expect(open.combinedHead(stored: stored, new: unknown, completeLength: 12, rules: rules).headerFields[.contentLength] == "12")
        #expect(open.combinedHead(stored: stored, new: unknown, completeLength: nil, rules: rules).headerFields[.contentLength] == nil)
    }

    private func body(_ ranges: [Range<Int>], _ completeLength: Int?) -> StoredBody {
        StoredBody(
            extents: ranges.map { .init(offset: $0.lowerBound, length: $0.count, source: .bytes(ByteBuffer(repeating: 0, count: $0.count))) },
            completeLength: completeLength
        )
    }

    @Test(
        arguments: [
            ([0..<5], 10, .from(5, last: 9)), ([5..<10], 10, .from(0, last: 4)), ([0..<3, 7..<10], 10, .from(3, last: 6)),
            ([0..<3, 3..<5], 10, .from(5, last: 9)),
            ([0..<5], nil, .from(5, last: nil)), ([0..<10], 10, nil), ([], 10, nil), ([], nil, nil), ([3..<5], 10, nil), ([5..<10], nil, nil),
            ([0..<2, 4..<6, 8..<10], 10, nil), ([0..<0, 0..<5], 10, .from(5, last: 9)),
        ] as [([Range<Int>], Int?, RangeRequest.Part?)]
    )
    func findsTheOnePartThatIsMissing(ranges: [Range<Int>], completeLength: Int?, expected: RangeRequest.Part?) {
        #expect(PartialContent.missingPart(of: body(ranges, completeLength)) == expected)
    }

    @Test func asksForWhatIsMissing() throws {
        let client = fields("Accept: a", "If-None-Match: \"x\"", "If-Modified-Since: x", "Range: bytes=0-1", "If-Range: \"x\"")
        func asking(_ stored: String...) -> [String]? {
            PartialContent.fieldsAsking(for: .from(5, last: 9), of: response(200, stored), from: client).map { $0.lines.sorted() }
        }
        #expect(asking("ETag: \"a\"", Self.longAgo, Self.date) == ["Accept: a", "If-Range: \"a\"", "Range: bytes=5-9"])
        #expect(asking(Self.longAgo, Self.date) == ["Accept: a", "If-Range: Wed, 31 Dec 2025 23:00:00 GMT", "Range: bytes=5-9"])
        #expect(asking("ETag: W/\"a\"") == nil)
        #expect(asking(Self.justNow, Self.date) == nil)
        #expect(asking() == nil)
    }
}
