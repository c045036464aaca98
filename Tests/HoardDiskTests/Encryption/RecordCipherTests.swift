// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// The bytes that a text of hexadecimal digits gives.
func bytes(hexadecimal text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

extension RecordCipher {
    /// Opens bytes that are not in a buffer yet.
    func open(_ sealed: some Collection<UInt8>, binding associated: String) -> Data? {
        Array(sealed).withUnsafeBytes { open($0, binding: Array(associated.utf8)) }
    }

    func seal(_ text: String, binding associated: String) throws(StoreError) -> Data {
        try seal(Array(text.utf8), binding: Array(associated.utf8))
    }
}

@Suite struct RecordCipherTests {
    private let cipher = RecordCipher(key: SymmetricKey(size: .bits256))

    /// Test case 16 of McGrew and Viega, "The Galois/Counter Mode of Operation".
    @Test func thePublishedCiphertextOpens() {
        let key = SymmetricKey(data: bytes(hexadecimal: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
        let ciphertext = """
            522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
            8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
            """
        let plaintext = """
            d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
            1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
            """
        let sealed = bytes(hexadecimal: "cafebabefacedbaddecaf888\(ciphertext)76fc6ece0f4e1768cddf8853bb2d551b")
        let associated = bytes(hexadecimal: "feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let opened = sealed.withUnsafeBytes { RecordCipher(key: key).open($0, binding: associated) }
        #expect(opened.map(Array.init) == bytes(hexadecimal: plaintext))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 255, 4096, 100_000])
    func whatIsSealedOpensAgain(count: Int) throws {
        let plaintext = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let sealed = try plaintext.withUnsafeBytes { plaintext in
            try Array("row".utf8).withUnsafeBytes { try cipher.seal(plaintext, binding: $0) }
        }
        #expect(sealed.count == count + RecordCipher.overhead)
        #expect(cipher.open(sealed, binding: "row") == plaintext)
    }

    @Test func theOverheadIsANonceAndATag() {
        #expect(RecordCipher.overhead == 28)
    }

    @Test func thePlaintextCannotBeSeen() throws {
        let sealed = try cipher.seal("a very private text", binding: "row")
        #expect(sealed.range(of: Data("private".utf8)) == nil)
    }

    @Test func anotherKeyOpensNothing() throws {
        let sealed = try cipher.seal("text", binding: "row")
        #expect(RecordCipher(key: SymmetricKey(size: .bits256)).open(sealed, binding: "row") == nil)
    }

    @Test func aTextMovedToAnotherRowDoesNotOpen() throws {
        let sealed = try cipher.seal("text", binding: "row 1")
        #expect(cipher.open(sealed, binding: "row 2") == nil)
        #expect(cipher.open(sealed, binding: "") == nil)
    }

    @Test func anyFlippedBitIsNoticed() throws {
        let sealed = try cipher.seal("text", binding: "row")
        for bit in 0..<(sealed.count * 8) {
            var damaged = sealed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(cipher.open(damaged, binding: "row") == nil, "bit \(bit)")
        }
    }

    @Test func aTextOfAnyOtherLengthIsNoticed() throws {
        let sealed = try cipher.seal("text", binding: "row")
        for count in 0..<sealed.count {
            #expect(cipher.open(sealed.prefix(count), binding: "row") == nil, "\(count) bytes")
        }
        #expect(cipher.open(sealed + [0], binding: "row") == nil)
        #expect(cipher.open(UnsafeRawBufferPointer(start: nil, count: 0), binding: Array("row".utf8)) == nil)
    }

    @Test func arbitraryBytesNeverOpen() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let count = Int.random(in: 0..<100, using: &generator)
            let garbage = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(cipher.open(garbage, binding: "row") == nil, "seed \(seed)")
        }
    }

    @Test func equalTextsAreSealedDifferently() throws {
        let sealed = try (0..<3).map { _ in try cipher.seal("text", binding: "row") }
        #expect(Set(sealed.map { $0.dropFirst(12) }).count == 3)
    }

    @Test func theNonceComesFirstAndCounts() throws {
        let key = SymmetricKey(size: .bits256)
        let cipher = RecordCipher(key: key, nonces: NonceSequence(firstCounter: 0x0a0b_0c0d) { 0x0102_0304_0506_0708 })
        #expect(Array(try cipher.seal("", binding: "").prefix(12)) == [1, 2, 3, 4, 5, 6, 7, 8, 0x0a, 0x0b, 0x0c, 0x0d])
        #expect(Array(try cipher.seal("", binding: "").prefix(12)) == [1, 2, 3, 4, 5, 6, 7, 8, 0x0a, 0x0b, 0x0c, 0x0e])
    }

    @Test func copiesOfACipherDoNotRepeatANonce() async throws {
        let sealed = try await withThrowingTaskGroup(of: [Data].self) { group in
            for _ in 0..<8 {
                let copy = cipher
                group.addTask { try (0..<200).map { _ in try copy.seal("text", binding: "row").prefix(12) } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(sealed).count == 1600)
    }

    @Test func aKeyOfTheWrongLengthIsReportedAndNothingIsSealed() {
        let cipher = RecordCipher(key: SymmetricKey(data: [1, 2, 3]))
        #expect(throws: StoreError.self) { try cipher.seal("text", binding: "row") }
        #expect(cipher.open([UInt8](repeating: 0, count: 40), binding: "row") == nil)
    }
}
