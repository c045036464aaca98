// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCodings

@Suite("ContentEncoder, flush", .timeLimit(.minutes(5)))
struct FlushTests {
    @Test(arguments: ContentCoding.available, 1...6 as ClosedRange<UInt64>)
    func flushedContentIsReadableBeforeTheEnd(coding: ContentCoding, seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let encoder = try ContentEncoder(coding: coding)
        let decoder = try ContentDecoder(codings: [coding])
        var (sent, received): ([UInt8], [UInt8]) = ([], [])
        func pass(_ part: UnsafeRawBufferPointer) throws(CodingError) { try decoder.decode(part) { received += $0 } }
        for _ in 0..<20 {
            let part = randomContent(upTo: [0, 10, 3000, 150_000][Int.random(in: 0..<4, using: &numbers)], using: &numbers)
            sent += part
            try part.withUnsafeBytes { try encoder.encode($0, flush: true, pass) }
            #expect(received == sent, "seed \(seed)")
        }
        try encoder.finish(pass)
        try decoder.finish()
        #expect(received == sent, "seed \(seed)")
    }

    @Test(arguments: ContentCoding.available)
    func aFlushOfNothingAfterAFlushEndsAndIsShort(coding: ContentCoding) throws {
        let encoder = try ContentEncoder(coding: coding)
        var output: [UInt8] = []
        try sentence.withUnsafeBytes { try encoder.encode($0, flush: true) { output += $0 } }
        let count = output.count
        for _ in 0..<5 {
            try encoder.encode(UnsafeRawBufferPointer(start: nil, count: 0), flush: true) { output += $0 }
        }
        #expect(output.count <= count + 50)
        try encoder.finish { output += $0 }
        #expect(decode(output, [coding]).bytes == sentence)
    }
}
