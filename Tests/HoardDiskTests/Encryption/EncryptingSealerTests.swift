// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Testing

@testable import HoardDisk

@Suite struct EncryptingSealerTests {
    private let cipher = RecordCipher(key: SymmetricKey(data: Array(0..<32)))

    private struct Chunk {
        var bytes: [UInt8]
        var tag: [UInt8]
    }

    private func seal(_ bytes: [UInt8], index: Int, with sealer: EncryptingSealer) throws -> Chunk {
        var tags: [UInt8] = [42]
        let written = try #require(bytes.withUnsafeBytes { sealer.seal($0, index: index, tags: &tags) })
        #expect(written.startIndex == 0)
        #expect(tags.first == 42)
        return Chunk(bytes: Array(written), tag: Array(tags.dropFirst()))
    }

    /// Returns the chunk's bytes after opening it in place, or `nil` if the sealer finds
    /// damage. Then the bytes must be unchanged.
    private func open(_ chunk: Chunk, index: Int, with sealer: EncryptingSealer) -> [UInt8]? {
        var bytes = chunk.bytes
        let isSound = bytes.withUnsafeMutableBytes { bytes in
            chunk.tag.withUnsafeBytes { sealer.open(bytes, index: index, tag: $0) }
        }
        if !isSound { #expect(bytes == chunk.bytes) }
        return isSound ? bytes : nil
    }

    /// Computed by another implementation of HKDF, AES-GCM and SipHash: files must stay readable.
    @Test func theFormatStaysWhatItIs() throws {
        let sealer = cipher.sealer(forFile: 0x0102_0304_0506_0708, ofRecord: 0x1112_1314_1516_1718)
        let chunk = try seal(Array("the chunk".utf8), index: 5 << 32 + 3, with: sealer)
        #expect(chunk.bytes == bytes(hexadecimal: "dd24a1f72f62c0f559"))
        #expect(chunk.tag == bytes(hexadecimal: "408720d4571e28d325792185778bd93c"))
        #expect(chunk.tag.withUnsafeBytes { sealer.root(tags: $0, byteCount: 9) } == 0xafef_34e5_16f7_5465)
    }

    @Test(arguments: [0, 1, 16, 1000, 65536]) func whatIsSealedOpensAgain(count: Int) throws {
        let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let chunk = try seal(plaintext, index: 7, with: cipher.sealer(forFile: 1))
        #expect(chunk.bytes.count == count)
        #expect(chunk.tag.count == cipher.sealer(forFile: 1).tagByteCount)
        #expect(count < 16 || chunk.bytes != plaintext)
        #expect(open(chunk, index: 7, with: cipher.sealer(forFile: 1)) == plaintext)
    }

    @Test func aChunkOpensAtItsPlaceOnly() throws {
        let sealer = cipher.sealer(forFile: 1)
        let chunk = try seal([1, 2, 3], index: 0, with: sealer)
        #expect(open(chunk, index: 1, with: sealer) == nil)
        #expect(open(chunk, index: 1 << 32, with: sealer) == nil)
        #expect(open(chunk, index: 0, with: cipher.sealer(forFile: 2)) == nil)
        #expect(open(chunk, index: 0, with: cipher.sealer(forFile: 1, ofRecord: 1)) == nil)
        #expect(open(chunk, index: 0, with: RecordCipher(key: SymmetricKey(size: .bits256)).sealer(forFile: 1)) == nil)
        #expect(open(chunk, index: 0, with: sealer) == [1, 2, 3])
    }

    @Test func equalChunksAreSealedDifferently() throws {
        let plaintext = [UInt8](repeating: 0, count: 32)
        let places = [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1)] as [(UInt64, Int)]
        let sealed = try places.map { try seal(plaintext, index: $0.1, with: cipher.sealer(forFile: $0.0)) }
        #expect(Set(sealed.map(\.bytes)).count == places.count)
        #expect(Set(sealed.map(\.tag)).count == places.count)
    }

    @Test func anyFlippedBitIsNoticed() throws {
        let sealer = cipher.sealer(forFile: 1)
        let chunk = try seal([1, 2, 3, 4, 5], index: 0, with: sealer)
        for bit in 0..<(chunk.bytes.count * 8) {
            var damaged = chunk
            damaged.bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(open(damaged, index: 0, with: sealer) == nil, "bit \(bit) of the chunk")
        }
        for bit in 0..<(chunk.tag.count * 8) {
            var damaged = chunk
            damaged.tag[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(open(damaged, index: 0, with: sealer) == nil, "bit \(bit) of the tag")
        }
    }

    @Test(arguments: [0, 8, 15, 17, 32]) func aTagOfAnotherLengthIsRefused(count: Int) throws {
        let sealer = cipher.sealer(forFile: 1)
        var chunk = try seal([1, 2, 3], index: 0, with: sealer)
        chunk.tag = Array((chunk.tag + chunk.tag).prefix(count))
        #expect(open(chunk, index: 0, with: sealer) == nil)
    }

    @Test func theRootDependsOnTagsLengthFileAndKey() {
        func root(_ tags: [UInt8], byteCount: Int, file: UInt64 = 1, record: Int64 = 0, cipher: RecordCipher? = nil) -> UInt64 {
            tags.withUnsafeBytes { (cipher ?? self.cipher).sealer(forFile: file, ofRecord: record).root(tags: $0, byteCount: byteCount) }
        }
        let tags = (0..<32).map { UInt8($0) }
        let roots = [
            root(tags, byteCount: 100),
            root(tags, byteCount: 101),
            root(tags.reversed(), byteCount: 100),
            root(Array(tags.prefix(16)), byteCount: 100),
            root([], byteCount: 100),
            root(tags, byteCount: 100, file: 2),
            root(tags, byteCount: 100, record: -1),
            root(tags, byteCount: 100, cipher: RecordCipher(key: SymmetricKey(size: .bits256))),
        ]
        #expect(Set(roots).count == roots.count)
        #expect(root(tags, byteCount: 100) == roots[0])
    }

    @Test func aChunkThatCannotBeEncryptedIsNotWrittenPlain() throws {
        // A key of a length that AES does not know stands for all other causes that can make the library refuse.
        let sealer = EncryptingSealer(chunkKey: SymmetricKey(data: [1]), rootHash: SipHash(key: (1, 2)), file: .init(nonce: 1, record: 0))
        let chunk = try seal([1, 2, 3], index: 0, with: sealer)
        #expect(chunk.bytes == [0, 0, 0])
        #expect(chunk.tag == [UInt8](repeating: 0, count: 16))
        #expect(open(chunk, index: 0, with: sealer) == nil)
        #expect(open(chunk, index: 0, with: cipher.sealer(forFile: 1)) == nil)
    }
}
