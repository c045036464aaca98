// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCodings

@Suite("ContentDecoder, limits", .timeLimit(.minutes(5)))
struct BombTests {
    /// 64 MiB of one letter, encoded with each coding.
    private static let bombs: [ContentCoding: [UInt8]] = {
        let part = [UInt8](repeating: 0x61, count: 1 << 20)
        var bombs: [ContentCoding: [UInt8]] = [:]
        for coding in ContentCoding.available {
            var bomb: [UInt8] = []
            do throws(CodingError) {
                let encoder = try ContentEncoder(coding: coding)
                for _ in 0..<64 {
                    try part.withUnsafeBufferPointer { part throws(CodingError) in try encoder.encode(UnsafeRawBufferPointer(part)) { bomb += $0 } }
                }
                try encoder.finish { bomb += $0 }
                bombs[coding] = bomb
            } catch {
                Issue.record(error)
            }
        }
        return bombs
    }()

    private func bomb(_ codings: [ContentCoding]) throws -> [UInt8] {
        try encode(#require(Self.bombs[codings[0]]), Array(codings.dropFirst()))
    }

    @Test(arguments: ContentCoding.available)
    func aBombIsRefusedAtTheLimitOfBytes(coding: ContentCoding) throws {
        let result = decode(try bomb([coding]), [coding], limits: .init(maximumBytes: 3_000_000, maximumRatio: 1 << 30))
        #expect(result.error?.code == .tooLong)
        #expect(result.bytes.count <= 3_000_000)
        #expect(result.bytes.count > 3_000_000 - ContentDecoder.scratchByteCount)
    }

    @Test(arguments: ContentCoding.available)
    func aBombIsRefusedAtTheLimitOfTheRatio(coding: ContentCoding) throws {
        let bomb = try bomb([coding])
        let result = decode(bomb, [coding], limits: .init(maximumRatio: 500))
        #expect(result.error?.code == .tooDense)
        #expect(result.bytes.count <= max(1 << 20, bomb.count * 500) + ContentDecoder.scratchByteCount)
    }

    @Test(arguments: ContentCoding.available, ContentCoding.available)
    func aBombInsideAnotherCodingIsRefusedEarly(inner: ContentCoding, outer: ContentCoding) throws {
        let bomb = try bomb([inner, outer])
        let result = decode(bomb, [inner, outer], limits: .init(maximumRatio: 500))
        #expect(result.error?.code == .tooDense)
        #expect(result.bytes.count <= max(1 << 20, bomb.count * 500) + ContentDecoder.scratchByteCount)
        // gzip alone would pass with the usual limits, but gzip inside gzip does not.
        let usual = decode(bomb, [inner, outer])
        #expect(usual.error?.code == .tooDense)
        #expect(usual.bytes.count < 8 << 20)
    }

    @Test func aBombInTheMiddleIsRefusedThoughItsOutputIsShort() throws {
        // The text of the innermost coding is short, because its members of gzip have no content. They give no
        // output, and yet there are many of them.
        let members = Array(repeating: try encode([], [.gzip]), count: 100_000).flatMap { $0 }
        let bomb = try encode(members, [.gzip])
        #expect(bomb.count < 20_000)
        let result = decode(bomb, [.gzip, .gzip], limits: .init(maximumBytes: 1 << 20))
        #expect(result.error?.code == .tooLong)
        #expect(result.bytes.isEmpty)
    }

    @Test func theUsualLimitsLetGzipPassAtItsBest() throws {
        let result = decode(try bomb([.gzip]), [.gzip])
        #expect(result.error == nil)
        #expect(result.bytes.count == 64 << 20)
    }

    @Test(arguments: ContentCoding.available)
    func shortContentMayHaveAnyRatio(coding: ContentCoding) throws {
        let content = [UInt8](repeating: 0x61, count: 1 << 20)
        #expect(decode(try encode(content, [coding]), [coding], limits: .init(maximumRatio: 1)).error == nil)
    }

    @Test func contentWithoutCodingPassesWithinTheLimit() throws {
        #expect(decode(sentence, []).bytes == sentence)
        #expect(decode(sentence, [], limits: .init(maximumBytes: sentence.count)).bytes == sentence)
        #expect(decode(sentence, [], limits: .init(maximumBytes: sentence.count - 1)).error?.code == .tooLong)
        #expect(decode([], []).error == nil)
    }

    @Test func moreThanFourCodingsAreRefused() throws {
        #expect(decode([], Array(repeating: .gzip, count: 5)).error?.code == .tooManyCodings)
        let codings = Array(repeating: ContentCoding.gzip, count: 4)
        #expect(decode(try encode(sentence, codings), codings).bytes == sentence)
    }
}
