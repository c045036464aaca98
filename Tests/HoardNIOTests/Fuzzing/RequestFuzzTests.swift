// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import Testing

/// The fuzz target in short: `Scripts/fuzz requests` runs it for longer, led by the code that it reaches.
@Suite(.timeLimit(.minutes(2))) struct RequestFuzzTests {
    @Test func theCorpusHasNoFindings() throws {
        let corpus = try FuzzCorpus("requests")
        #expect(corpus.inputs.count > 5)
        for input in corpus.inputs { expectNoFinding(input) }
    }

    @Test func edgesHaveNoFindings() {
        expectNoFinding([])
        for byte in stride(from: 0, through: UInt8.max, by: 17) { expectNoFinding([byte]) }
        for byte in [0, 0x0A, 0x0D, 0x20, 0x41, 0xFF] as [UInt8] { expectNoFinding(Array(repeating: byte, count: 300)) }
    }

    private static let pieces = [
        "\r\n", "\r", "\n", "\r\n\r\n", " ", "\t", ":", "GET ", "HEAD ", "BAN ", "/", "/%2F", "/%2f", " HTTP/1.1\r\n", "Host: a\r\n", "Host:a \t\r\n",
        "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n", "1\r\na\r\n", "Connection: close\r\n", "Upgrade: x\r\n",
        "Expect: 100-continue\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    ].map { Array($0.utf8) }

    @Test(arguments: 1...2)
    func mutationsOfTheCorpusHaveNoFindings(seed: UInt64) throws {
        for input in try FuzzCorpus("requests").mutations(count: 60, seed: seed, pieces: Self.pieces) { expectNoFinding(input, "seed \(seed)") }
    }

    private func expectNoFinding(_ input: [UInt8], _ comment: String = "") {
        do {
            try RequestChecks.check(input)
        } catch {
            Issue.record("\(comment): \(error) \(FuzzCorpus.describe(input))")
        }
    }
}
