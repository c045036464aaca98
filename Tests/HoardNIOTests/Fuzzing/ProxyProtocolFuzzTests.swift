// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import Testing

/// The fuzz target in short: `Scripts/fuzz proxy-protocol` runs it for longer, led by the code that it reaches.
@Suite(.timeLimit(.minutes(2))) struct ProxyProtocolFuzzTests {
    @Test func theCorpusHasNoFindings() throws {
        let corpus = try FuzzCorpus("proxy-protocol")
        #expect(corpus.inputs.count > 5)
        for input in corpus.inputs { expectNoFinding(input) }
    }

    @Test func edgesHaveNoFindings() {
        expectNoFinding([])
        for byte in UInt8.min ... .max { expectNoFinding([byte]) }
        for byte in [0, 0x0A, 0x0D, 0x50, 0xFF] as [UInt8] { expectNoFinding(Array(repeating: byte, count: 300)) }
    }

    private static let pieces = [
        "\r\n", "\r", "\n", " ", "PROXY ", "TCP4 ", "TCP6 ", "UNKNOWN", "192.0.2.1", "::1", "::ffff:192.0.2.1", "0", "65535", "65536", "\0",
        "\u{3}\0\u{4}",
        "\r\n\r\n\0\r\nQUIT\n", "!", "!!",
    ].map { Array($0.utf8) }

    @Test(arguments: 1...2)
    func mutationsOfTheCorpusHaveNoFindings(seed: UInt64) throws {
        for input in try FuzzCorpus("proxy-protocol").mutations(count: 150, seed: seed, pieces: Self.pieces) {
            expectNoFinding(input, "seed \(seed)")
        }
    }

    private func expectNoFinding(_ input: [UInt8], _ comment: String = "") {
        do {
            try ProxyProtocolChecks.check(input)
        } catch {
            Issue.record("\(comment): \(error) \(FuzzCorpus.describe(input))")
        }
    }
}
