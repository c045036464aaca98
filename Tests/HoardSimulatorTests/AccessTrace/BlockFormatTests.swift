// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("ARCFormat, LIRSFormat", .timeLimit(.minutes(5)))
struct BlockFormatTests {
    let directory: TraceDirectory

    init() throws {
        directory = try TraceDirectory()
    }

    @Test func aLineOfARCIsARequestForEachBlock() throws {
        let requests = try directory.requests(in: "10 3 0 0\n# c\n\n20 1 0 1\r\n10 0\n 18446744073709551615 1 9 \n", as: .arc).requests
        #expect(requests.map(\.key) == [10, 11, 12, 20, .max])
        #expect(requests.allSatisfy { $0 == AccessRequest(key: $0.key) })
    }

    @Test func manyBlocksOfARCComeInBatches() throws {
        let reader = try AccessTraceReader(path: directory.write("0 1000000000 0 0\n".utf8), format: .arc)
        var batch: [AccessRequest] = []
        for number in 0..<10 {
            #expect(try reader.readBatch(into: &batch))
            #expect(batch.map(\.key) == (0..<TraceBatch.requestCount).map { UInt64(number * TraceBatch.requestCount + $0) })
        }
    }

    @Test(arguments: [
        ("1", "one number"), ("x 1", "“x”"), ("1 2 3 4 5", "“5”"), ("1x 2", "“x”"), ("18446744073709551616 1", "larger than"),
        ("18446744073709551615 2", "last block"), ("0 1000000001", "stands for 1000000001 requests"),
        ("1 2 99999999999999999999999", "larger than"), ("-1 2", "“-”"),
    ])
    func aMalformedLineOfARCIsNamed(line: String, fault: String) throws {
        let error = try directory.error(in: "1 1 0 0\n\(line)\n", as: .arc)
        #expect(error.code == .malformedLine)
        #expect(error.line == 2)
        #expect(error.message.contains(fault))
    }

    @Test func linesOfLIRSAreBlocks() throws {
        #expect(try directory.requests(in: "*\n1\n 2 \r\n*\n\n1\n*", as: .lirs).requests.map(\.key) == [1, 2, 1])
    }

    @Test(arguments: [("x", "“x”"), ("1 2", "the byte 0x20"), ("**", "“*”"), ("18446744073709551616", "larger than")])
    func aMalformedLineOfLIRSIsNamed(line: String, fault: String) throws {
        let error = try directory.error(in: "1\n\(line)\n", as: .lirs)
        #expect(error.code == .malformedLine)
        #expect(error.line == 2)
        #expect(error.message.contains(fault))
    }
}
