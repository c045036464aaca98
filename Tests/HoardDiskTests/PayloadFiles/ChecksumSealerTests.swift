// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Testing

@testable import HoardDisk

@Suite struct ChecksumSealerTests {
    private let sealer = ChecksumSealer(nonce: 7)

    private func tag(_ bytes: [UInt8], index: Int = 0, nonce: UInt64 = 7) -> [UInt8] {
        var tags: [UInt8] = []
        let sealed = bytes.withUnsafeBytes { ChecksumSealer(nonce: nonce).seal($0, index: index, tags: &tags) }
        #expect(sealed == nil)
        return tags
    }

    private func opens(_ bytes: [UInt8], index: Int = 0, tag: [UInt8]) -> Bool {
        var chunk = bytes
        let opened = chunk.withUnsafeMutableBytes { chunk in tag.withUnsafeBytes { sealer.open(chunk, index: index, tag: $0) } }
        #expect(chunk == bytes)
        return opened
    }

    private func root(_ tags: [UInt8], byteCount: Int, nonce: UInt64 = 7) -> UInt64 {
        tags.withUnsafeBytes { ChecksumSealer(nonce: nonce).root(tags: $0, byteCount: byteCount) }
    }

    @Test func aChunkOpensWithItsTagOnly() {
        let chunk: [UInt8] = [1, 2, 3]
        let tag = tag(chunk)
        #expect(tag.count == sealer.tagByteCount)
        #expect(opens(chunk, tag: tag))
        #expect(!opens([1, 2, 4], tag: tag))
        #expect(!opens([1, 2], tag: tag))
        #expect(!opens([1, 2, 3, 0], tag: tag))
        #expect(!opens(chunk, index: 1, tag: tag))
        #expect(!opens(chunk, tag: self.tag(chunk, nonce: 8)))
        #expect(!opens(chunk, tag: []))
        #expect(!opens(chunk, tag: tag + [0]))
    }

    @Test func tagsAreAppended() {
        var tags: [UInt8] = [9]
        _ = [1 as UInt8].withUnsafeBytes { sealer.seal($0, index: 0, tags: &tags) }
        #expect(tags == [9] + tag([1]))
    }

    @Test func everyIndexAndNonceGivesAnotherTag() {
        let tags = (0..<100).map { tag([1, 2, 3], index: $0) } + (8..<108).map { tag([1, 2, 3], nonce: $0) }
        #expect(Set(tags).count == 200)
    }

    @Test func rootDependsOnTagsLengthAndNonce() {
        let roots = [
            root([], byteCount: 0), root([], byteCount: 1), root([], byteCount: 0, nonce: 8),
            root([1], byteCount: 0), root([2], byteCount: 0), root([1, 2], byteCount: 0),
        ]
        #expect(Set(roots).count == roots.count)
        #expect(root([1, 2], byteCount: 5) == root([1, 2], byteCount: 5))
    }

    /// Later versions must be able to read the files that were written once.
    @Test func tagsAndRootsStayWhatTheyAre() {
        let seed = [3 as UInt8, 0, 0, 0, 0, 0, 0, 0].withUnsafeBytes { XXH64.hash($0, seed: 7) }
        let expected = Array("chunk".utf8).withUnsafeBytes { XXH64.hash($0, seed: seed) }
        #expect(tag(Array("chunk".utf8), index: 3) == withUnsafeBytes(of: expected.littleEndian) { Array($0) })
        let rootSeed = [3 as UInt8, 0, 0, 0, 0, 0, 0, 0x80].withUnsafeBytes { XXH64.hash($0, seed: 7) }
        #expect(root([1, 2], byteCount: 3) == [1 as UInt8, 2].withUnsafeBytes { XXH64.hash($0, seed: rootSeed) })
    }
}
