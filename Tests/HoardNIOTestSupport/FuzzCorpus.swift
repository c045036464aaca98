// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HoardTesting

/// The inputs in `Fuzz/Corpus` for one fuzz target, and mutations of them.
package struct FuzzCorpus: Sendable {
    package let inputs: [[UInt8]]

    package init(_ target: String) throws {
        let root = (1...3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let folder = root.appendingPathComponent("Fuzz/Corpus/\(target)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        inputs = try files.sorted { $0.lastPathComponent < $1.lastPathComponent }.map { try [UInt8](Data(contentsOf: $0)) }
    }

    /// Inputs that are changed in up to six places. The same seed gives the same ones.
    ///
    /// - Parameter pieces: Bytes that are put in, besides single bytes.
    package func mutations(count: Int, seed: UInt64, pieces: [[UInt8]]) -> [[UInt8]] {
        var random = SeededGenerator(seed: seed)
        func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        return (0..<count).map { _ in
            var input = inputs[int(0...inputs.count - 1)]
            for _ in 1...int(1...6) {
                let place = int(0...input.count)
                switch int(0...4) {
                case 0: input.insert(contentsOf: pieces[int(0...pieces.count - 1)], at: place)
                case 1: input.insert(UInt8(int(0...255)), at: place)
                case 2: input.removeSubrange(place..<min(input.count, place + int(0...8)))
                case 3: if place < input.count { input[place] ^= 1 << int(0...7) }
                default: input = input[..<place] + inputs[int(0...inputs.count - 1)]
                }
            }
            return input
        }
    }

    /// The part of a finding's text that shows the input.
    package static func describe(_ input: [UInt8]) -> String {
        "Input: \(Data(input.prefix(2_000)).base64EncodedString())"
    }
}
