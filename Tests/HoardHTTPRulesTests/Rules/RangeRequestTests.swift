// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct RangeRequestTests {
    private func range(_ lines: String...) -> RangeRequest? { RangeRequest(fields(lines.map { "Range: \($0)" })) }

    private func resolved(_ value: String, _ length: Int) -> RangeRequest.Resolution? { range(value)?.resolved(completeLength: length) }

    @Test(
        arguments: [
            ("bytes=0-499", [.from(0, last: 499)]), ("bytes=500-", [.from(500, last: nil)]), ("bytes=-500", [.suffix(500)]),
            ("bytes=0-0", [.from(0, last: 0)]),
            ("BYTES=0-1", [.from(0, last: 1)]), ("Bytes=0-1", [.from(0, last: 1)]), ("bytes=-0", [.suffix(0)]),
            ("bytes=00001-0002", [.from(1, last: 2)]),
            ("bytes=0-0,-1", [.from(0, last: 0), .suffix(1)]), ("bytes=0-0 ,\t 4-5 ", [.from(0, last: 0), .from(4, last: 5)]),
            ("bytes=,0-0,,", [.from(0, last: 0)]), ("bytes= 0-0", [.from(0, last: 0)]),
            ("bytes=0-99999999999999999999", [.from(0, last: .max)]), ("bytes=99999999999999999999-", [.from(.max, last: nil)]),
            ("bytes=9223372036854775807-99999999999999999999", [.from(.max, last: .max)]), ("bytes=-99999999999999999999", [.suffix(.max)]),
        ] as [(String, [RangeRequest.Part])]
    )
    func readsParts(value: String, parts: [RangeRequest.Part]) {
        #expect(range(value)?.parts == parts)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=,", "bytes= , ", "bytes =0-1", "=0-1", "items=0-1", "byte=0-1", "bytes:0-1", "bytes 0-1", "bytes=1-0",
        "bytes=0-1,3-2",
        "bytes=a-b", "bytes=0-b", "bytes=-", "bytes=0", "bytes=0-1-2", "bytes=--1", "bytes=0 -1", "bytes=0- 1", "bytes=+0-1", "bytes=0x0-1",
        "bytes=0-1;x",
        "bytes=0-1 2-3", "bytes=\"0-1\"", "bytes=0.5-1", "bytes=*", "bytes=0-1,x", "bytes=\u{661}-2", "bytes=99999999999999999999-1",
    ])
    func isIgnoredIfMalformed(value: String) {
        #expect(range(value) == nil)
    }

    @Test func isIgnoredIfAbsentOrContradictory() {
        #expect(RangeRequest(HTTPFields()) == nil)
        #expect(range("bytes=0-1", "bytes=2-3") == nil)
        #expect(range("bytes=0-1", "bytes=0-1")?.parts == [.from(0, last: 1)])
    }

    @Test(
        arguments: [
            ("bytes=0-499", 1_000, .satisfiable([0..<500])), ("bytes=0-", 10, .satisfiable([0..<10])), ("bytes=0-9", 10, .satisfiable([0..<10])),
            ("bytes=0-10", 10, .satisfiable([0..<10])), ("bytes=9-", 10, .satisfiable([9..<10])), ("bytes=9-9", 10, .satisfiable([9..<10])),
            ("bytes=-1", 10, .satisfiable([9..<10])), ("bytes=-10", 10, .satisfiable([0..<10])), ("bytes=-11", 10, .satisfiable([0..<10])),
            ("bytes=10-", 10, .unsatisfiable), ("bytes=10-20", 10, .unsatisfiable), ("bytes=-0", 10, .unsatisfiable),
            ("bytes=10-,-0", 10, .unsatisfiable),
            ("bytes=10-,0-0", 10, .satisfiable([0..<1])), ("bytes=-0,0-0", 10, .satisfiable([0..<1])),
            ("bytes=0-99999999999999999999", 10, .satisfiable([0..<10])), ("bytes=99999999999999999999-", 10, .unsatisfiable),
            ("bytes=-99999999999999999999", 10, .satisfiable([0..<10])), ("bytes=0-", .max, .satisfiable([0..<Int.max])),
            ("bytes=9223372036854775807-", .max, .unsatisfiable), ("bytes=9223372036854775806-", .max, .satisfiable([(.max - 1)..<Int.max])),
            ("bytes=0-", 0, .unsatisfiable), ("bytes=0-0", 0, .unsatisfiable), ("bytes=-0", 0, .unsatisfiable), ("bytes=-1", 0, .ignored),
            ("bytes=0-0,-5", 0, .ignored),
        ] as [(String, Int, RangeRequest.Resolution)]
    )
    func resolvesOnePart(value: String, length: Int, expected: RangeRequest.Resolution) {
        #expect(resolved(value, length) == expected)
    }

    @Test(
        arguments: [
            ("bytes=0-0,500-500", [0..<1, 500..<501]), ("bytes=500-500,0-0", [500..<501, 0..<1]), ("bytes=0-9,5-14", [0..<15]),
            ("bytes=5-14,0-9", [0..<15]),
            ("bytes=0-9,10-19", [0..<20]), ("bytes=0-9,0-9", [0..<10]), ("bytes=0-99,10-19", [0..<100]), ("bytes=10-19,0-99", [0..<100]),
            // A gap of 79 bytes is filled, one of 80 is not.
            ("bytes=0-9,89-99", [0..<100]), ("bytes=0-9,90-99", [0..<10, 90..<100]),
            ("bytes=500-599,0-9,590-699", [500..<700, 0..<10]), ("bytes=0-9,500-599,5-14", [0..<15, 500..<600]),
            ("bytes=900-,500-,0-0", [500..<1_000, 0..<1]),
            ("bytes=0-,0-,0-,0-", [0..<1_000]), ("bytes=-1,0-0", [999..<1_000, 0..<1]),
        ] as [(String, [Range<Int>])]
    )
    func coalescesInTheOrderAskedFor(value: String, expected: [Range<Int>]) {
        #expect(resolved(value, 1_000) == .satisfiable(expected))
    }

    @Test func isIgnoredIfItHasTooManyParts() {
        func many(_ count: Int) -> RangeRequest? { range("bytes=" + (0..<count).map { "\($0 * 1_000)-\($0 * 1_000)" }.joined(separator: ",")) }
        #expect(many(100)?.parts.count == 100)
        #expect(many(101) == nil)
        #expect(range("bytes=" + String(repeating: "0-,", count: 10_000)) == nil)
    }

    @Test func resolvesWithoutLengthWhatDoesNotDependOnTheEnd() {
        #expect(range("bytes=0-9,500-509")?.resolvedWithoutLength() == [0..<10, 500..<510])
        #expect(range("bytes=0-9,5-14")?.resolvedWithoutLength() == [0..<15])
        for value in ["bytes=0-", "bytes=-5", "bytes=0-1,5-", "bytes=0-99999999999999999999"] {
            #expect(range(value)?.resolvedWithoutLength() == nil, "\(value)")
        }
    }

    @Test func writesWhatItReads() {
        #expect(RangeRequest(.from(5, last: nil)).fieldValue == "bytes=5-")
        #expect(RangeRequest(.from(5, last: 9)).fieldValue == "bytes=5-9")
        #expect(RangeRequest(.suffix(7)).fieldValue == "bytes=-7")
        for value in ["bytes=0-1, 5-, -7", "bytes=0-0"] { #expect(range(value)?.fieldValue == value) }
    }

    @Test func neverSendsAByteTwiceNorOneThatIsNotThere() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            let length = Int.random(in: 0...400, using: &generator)
            var message = HTTPFields()
            let random = generator.bytes(upTo: 40, alphabet: "0123456789-, ")
            message.append(HTTPField(name: .range, lenientValue: Array("bytes=".utf8) + random))
            guard case .satisfiable(let ranges) = RangeRequest(message)?.resolved(completeLength: length) else { continue }
            #expect(!ranges.isEmpty && ranges.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= length }, "seed \(generator.seed)")
            let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
            for (left, right) in zip(sorted, sorted.dropFirst()) {
                #expect(right.lowerBound - left.upperBound >= RangeRequest.smallestGap, "seed \(generator.seed)")
            }
        }
    }
}
