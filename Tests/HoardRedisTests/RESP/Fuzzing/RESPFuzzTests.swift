// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

/// The fuzz target in short: `Scripts/fuzz resp` runs it for longer, led by the code that it reaches.
@Suite(.timeLimit(.minutes(2))) struct RESPFuzzTests {
    private static func corpus() throws -> [[UInt8]] {
        let root = (1...5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let files = try FileManager.default.contentsOfDirectory(at: root.appendingPathComponent("Fuzz/Corpus/resp"), includingPropertiesForKeys: nil)
        return try files.sorted { $0.lastPathComponent < $1.lastPathComponent }.map { try [UInt8](Data(contentsOf: $0)) }
    }

    @Test func theCorpusHasNoFindings() throws {
        let corpus = try Self.corpus()
        #expect(corpus.count > 5)
        for input in corpus { expectNoFinding(input) }
    }

    @Test func edgesHaveNoFindings() {
        expectNoFinding([])
        for byte in UInt8.min ... .max {
            expectNoFinding([byte])
            expectNoFinding([byte, 13, 10])
            expectNoFinding(Array(repeating: byte, count: 300))
        }
    }

    private static let pieces = [
        "\r\n", "\r", "\n", "$", "*", "%", "~", "|", ">", "+", "-", ":", ",", "(", "#t", "_\r\n", ";", ";0\r\n", ".\r\n", "?\r\n", "-1\r\n", "$?\r\n",
        "*?\r\n", "0",
        "9223372036854775807", "$1\r\na\r\n", "nan", "inf", "é", "1e5", "txt:",
    ].map { Array($0.utf8) }

    @Test(arguments: 1...4)
    func mutationsOfTheCorpusHaveNoFindings(seed: UInt64) throws {
        let corpus = try Self.corpus()
        var random = SeededGenerator(seed: seed)
        func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        for _ in 1...500 {
            var input = corpus[int(0...corpus.count - 1)]
            for _ in 1...int(1...6) {
                let place = int(0...input.count)
                switch int(0...4) {
                case 0: input.insert(contentsOf: Self.pieces[int(0...Self.pieces.count - 1)], at: place)
                case 1: input.insert(UInt8(int(0...255)), at: place)
                case 2: input.removeSubrange(place..<min(input.count, place + int(0...8)))
                case 3: if place < input.count { input[place] ^= 1 << int(0...7) }
                default: input = input[..<place] + corpus[int(0...corpus.count - 1)]
                }
            }
            expectNoFinding(input, "seed \(seed)")
        }
    }

    private func expectNoFinding(_ input: [UInt8], _ comment: String = "") {
        do {
            try RESPChecks.check(input)
        } catch {
            Issue.record("\(comment): \(error) Input: \(Data(input.prefix(2_000)).base64EncodedString())")
        }
    }
}
