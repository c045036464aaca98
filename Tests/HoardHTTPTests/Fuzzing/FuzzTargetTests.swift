// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardHTTPTestSupport
import Testing

extension FuzzTarget: CustomTestStringConvertible {
    package var testDescription: String { name }

    /// The inputs that the fuzzers begin with, in the order of their names.
    fileprivate func corpus() throws -> [[UInt8]] {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let directory = root.appendingPathComponent("Fuzz/Corpus/\(name)")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        return try files.sorted { $0.lastPathComponent < $1.lastPathComponent }.map { try [UInt8](Data(contentsOf: $0)) }
    }
}

/// The fuzz targets in short: `Scripts/fuzz` runs them for longer, led by the code that they reach.
@Suite(.timeLimit(.minutes(5))) struct FuzzTargetTests {
    @Test(arguments: FuzzTarget.all)
    func corpusHasNoFindings(target: FuzzTarget) throws {
        let corpus = try target.corpus()
        #expect(corpus.count > 5)
        for input in corpus { expectNoFinding(target, input) }
    }

    @Test(arguments: FuzzTarget.all)
    func mutationsOfTheCorpusHaveNoFindings(target: FuzzTarget) throws {
        var mutator = InputMutator(corpus: try target.corpus(), seed: 20_260_101)
        for _ in 1...700 { expectNoFinding(target, mutator.next()) }
    }

    @Test(arguments: FuzzTarget.all)
    func edgesHaveNoFindings(target: FuzzTarget) {
        expectNoFinding(target, [])
        for byte in UInt8.min ... .max {
            expectNoFinding(target, [byte])
            expectNoFinding(target, Array(repeating: byte, count: 300))
        }
    }

    @Test func whatDoesNotHoldIsAFinding() {
        #expect(throws: FuzzFinding.self) { try require(false, "It does not.") }
        #expect(throws: Never.self) { try require(true, "It does.") }
    }

    private func expectNoFinding(_ target: FuzzTarget, _ input: [UInt8]) {
        do {
            try target.check(input)
        } catch {
            Issue.record("\(target.name): \(error) Input: \(Data(input.prefix(2_000)).base64EncodedString())")
        }
    }
}

/// Changes inputs at random, always in the same way for one seed.
private struct InputMutator {
    private let corpus: [[UInt8]]
    private var random: RandomSource

    /// The bytes that parsers look for.
    private static let pieces = [
        ",", "\"", "\\", ";", "=", "%", "%2e", "%00", "/", "..", "://", "@", "[", "]", "?", "&", "#", "\n", "\r\n", "\0", "\t", " ", "-", "*", "W/\"",
        "bytes=", "0", "9223372036854775807", "99999999999999999999", "max-age=", "no-store", "private=\"", "é", "GMT",
    ].map { Array($0.utf8) }

    init(corpus: [[UInt8]], seed: UInt64) {
        self.corpus = corpus
        self.random = RandomSource(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var input = random.pick(corpus)
        for _ in 1...random.int(1...6) {
            let place = random.int(0...input.count)
            switch random.int(0...5) {
            case 0: input.insert(contentsOf: random.pick(Self.pieces), at: place)
            case 1: input.insert(UInt8(random.int(0...255)), at: place)
            case 2: input.removeSubrange(place..<min(input.count, place + random.int(0...8)))
            case 3: if place < input.count { input[place] ^= 1 << random.int(0...7) }
            case 4: input.insert(contentsOf: input[place..<min(input.count, place + random.int(0...40))], at: place)
            default: input = input[..<place] + random.pick(corpus).suffix(random.int(0...60))
            }
        }
        return input
    }
}
