// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct ContentRangeTests {
    private func read(_ lines: String...) -> ContentRange? { ContentRange(fields(lines.map { "Content-Range: \($0)" })) }

    @Test(
        arguments: [
            ("bytes 0-499/1234", 0..<500, 1_234), ("bytes 500-999/*", 500..<1_000, nil), ("bytes */1234", nil, 1_234), ("BYTES 0-0/1", 0..<1, 1),
            ("bytes 0-9/10", 0..<10, 10), ("bytes */0", nil, 0), ("bytes 0-9223372036854775805/9223372036854775806", 0..<(Int.max - 1), .max - 1),
            (" bytes 4-9/10 ", 4..<10, 10), ("bytes 007-008/0009", 7..<9, 9),
        ] as [(String, Range<Int>?, Int?)]
    )
    func readsValidValues(value: String, range: Range<Int>?, completeLength: Int?) throws {
        let content = try #require(read(value))
        #expect(content.range == range)
        #expect(content.completeLength == completeLength)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-1", "bytes 0-1/", "bytes /10", "bytes */*", "bytes 5-4/10", "bytes 0-10/10", "bytes 10-10/10", "bytes -1/10",
        "bytes 0-/10",
        "bytes 0/10", "items 0-1/10", "bytes=0-1/10", "bytes  0-1/10", "bytes\t0-1/10", "bytes 0-1/10/", "bytes 0 - 1/10", "bytes 0-1 /10",
        "bytes 0-1/ 10",
        "bytes 0-1/-10", "bytes a-b/c", "bytes 0-1/1x", "bytes 0-99999999999999999999/*", "bytes 0-1/99999999999999999999",
        "bytes */99999999999999999999",
        "bytes 0-9223372036854775807/*", "0-1/10", "bytes 0-1/10, bytes 0-1/10", "bytes 0-1,3-4/10", "bytes 0-1/10;x",
    ])
    func readsNothingFromInvalidValues(value: String) {
        #expect(read(value) == nil)
    }

    @Test func readsNothingFromLinesThatContradictEachOther() {
        #expect(ContentRange(HTTPFields()) == nil)
        #expect(read("bytes 0-1/10", "bytes 2-3/10") == nil)
        #expect(read("bytes 0-1/10", "bytes 0-1/10")?.range == 0..<2)
    }

    @Test func readsWhatItWrites() {
        #expect(ContentRange.fieldValue(4..<10, completeLength: 10) == "bytes 4-9/10")
        #expect(ContentRange.fieldValue(4..<10, completeLength: nil) == "bytes 4-9/*")
        #expect(ContentRange.unsatisfied(completeLength: 10) == "bytes */10")
        #expect(read(ContentRange.fieldValue(0..<1, completeLength: nil))?.range == 0..<1)
        #expect(read(ContentRange.unsatisfied(completeLength: 0))?.completeLength == 0)
    }

    @Test func survivesRandomBytes() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            var message = HTTPFields()
            let random = generator.bytes(upTo: 30, alphabet: "0123456789-/* ")
            message.append(HTTPField(name: .contentRange, lenientValue: Array("bytes ".utf8) + random))
            guard let content = ContentRange(message) else { continue }
            #expect(content.range != nil || content.completeLength != nil, "seed \(generator.seed)")
            if let range = content.range { #expect(!range.isEmpty && range.upperBound <= content.completeLength ?? .max, "seed \(generator.seed)") }
        }
    }
}
