// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCodings

/// Decoding of as much as fits, for callers that cannot take any number of bytes at once.
@Suite struct PullTests {
    @Test(arguments: [1, 7, 1_000, 64 << 10]) func contentIsTheSameHoweverLittleFits(room: Int) throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        var random = SeededNumbers(seed: seed)
        let text =
            Array(String(repeating: "Some text that comes again. ", count: 500).utf8)
            + (0..<500).map { _ in UInt8.random(in: 0...255, using: &random) }
        for codings in [[ContentCoding.gzip], [.deflate], [.gzip, .deflate], [.gzip, .gzip, .gzip], []] + ContentCoding.available.map({ [$0] }) {
            let coded = try encode(text, codings)
            let decoder = try ContentDecoder(codings: codings)
            var (decoded, start) = ([UInt8](), 0)
            while start < coded.count {
                let part = Array(coded[start..<min(coded.count, start + Int.random(in: 1...3_000, using: &random))])
                start += part.count
                var read = 0
                while true {
                    var output = [UInt8](repeating: 0, count: room)
                    let (consumed, produced) = try part.withUnsafeBytes { part in
                        try output.withUnsafeMutableBytes { try decoder.decode(UnsafeRawBufferPointer(rebasing: part[read...]), into: $0) }
                    }
                    read += consumed
                    decoded += output[..<produced]
                    if produced == 0 { break }
                }
                #expect(read == part.count, "seed \(seed)")
            }
            try decoder.finish()
            #expect(decoded == text, "\(codings), seed \(seed)")
        }
    }

    @Test func aBombIsRefusedInSmallPiecesToo() throws {
        let bomb = try encode([UInt8](repeating: 0, count: 32 << 20), [.gzip])
        let decoder = try ContentDecoder(codings: [.gzip], limits: .init(maximumBytes: 1 << 20))
        var (delivered, read) = (0, 0)
        let error = #expect(throws: CodingError.self) {
            while true {
                var output = [UInt8](repeating: 0, count: 4_096)
                let (consumed, produced) = try bomb.withUnsafeBytes { bomb in
                    try output.withUnsafeMutableBytes { try decoder.decode(UnsafeRawBufferPointer(rebasing: bomb[read...]), into: $0) }
                }
                (read, delivered) = (read + consumed, delivered + produced)
                if produced == 0 { break }
            }
        }
        #expect(error?.code == .tooLong && delivered <= 1 << 20)
    }
}
