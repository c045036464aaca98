// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import Testing

/// The fuzz target in short: `Scripts/fuzz http2-responses` runs it for longer, led by the code that it reaches.
@Suite(.timeLimit(.minutes(2))) struct HTTP2ResponseFuzzTests {
    @Test func theCorpusHasNoFindings() throws {
        let corpus = try FuzzCorpus("http2-responses")
        #expect(corpus.inputs.count > 5)
        for input in corpus.inputs { expectNoFinding(input) }
    }

    @Test func edgesHaveNoFindings() {
        expectNoFinding([])
        for byte in stride(from: 0, through: UInt8.max, by: 17) { expectNoFinding([byte]) }
        for byte in [0, 1, 4, 9, 0xFF] as [UInt8] { expectNoFinding(Array(repeating: byte, count: 300)) }
    }

    private static let pieces: [[UInt8]] = [
        [0, 0, 0, 4, 0, 0, 0, 0, 0], [0, 0, 0, 4, 1, 0, 0, 0, 0], [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88], [0, 0, 1, 1, 5, 0, 0, 0, 3, 0x88],
        [0, 0, 0, 9, 4, 0, 0, 0, 1],
        [0, 0, 1, 0, 1, 0, 0, 0, 1, 0x61], [0, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0], [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 9],
        [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], [0, 3, 0, 0, 0, 1], [0x88], [0x48, 3, 0x31, 0x30, 0x33], [0x5C, 1, 0x31],
        [0x40, 1, 0x61, 1, 0x62],
        [0xBE],
    ]

    @Test(arguments: 1...2)
    func mutationsOfTheCorpusHaveNoFindings(seed: UInt64) throws {
        for input in try FuzzCorpus("http2-responses").mutations(count: 60, seed: seed, pieces: Self.pieces) {
            expectNoFinding(input, "seed \(seed)")
        }
    }

    private func expectNoFinding(_ input: [UInt8], _ comment: String = "") {
        do {
            try HTTP2ResponseChecks.check(input)
        } catch {
            Issue.record("\(comment): \(error) \(FuzzCorpus.describe(input))")
        }
    }
}
