// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct KeyRingTests {
    private func ring(bytes: some Sequence<UInt8> = 0..<32, salt: String = "salt of a store") throws -> KeyRing {
        KeyRing(key: try DiskStore.EncryptionKey(identifier: "main", bytes: bytes), salt: Array(salt.utf8))
    }

    /// Computed by another implementation of HKDF: stores must stay readable.
    @Test func theDerivedKeysStayWhatTheyAre() throws {
        let ring = try ring()
        #expect(ring.hashKey == (0x799a_0d16_941c_3e46, 0xd587_4db2_287a_fa97))
        #expect(ring.partitionHashKey == (0x317e_56d6_df15_0f27, 0x5222_40a5_279c_54d1))
        #expect(ring.check == bytes(hexadecimal: "f92d01448a0ad3bf73e38985b82c8dda"))
        let record = bytes(hexadecimal: "6465666768696a6b6c6d6e6f49cf815003c5d70471fa580bfcfca189fec9f2d3ee6b2b32")
        #expect(ring.cipher.open(record, binding: "row 7") == Data("a record".utf8))
    }

    /// Computed by another implementation of AES-GCM.
    @Test func theWrappedKeysStayReadable() throws {
        let wrapped = bytes(
            hexadecimal: """
                6465666768696a6b6c6d6e6feb5895efd387132dbd8313a9ff59192528247074\
                cd808c55c5113d3ffab4666e0166ee578053a3c8c6114ef2e3f17902
                """
        )
        let record = bytes(
            hexadecimal: "6465666768696a6b6c6d6e6f39eed3431f6c86b5fcfd28ef72d698a21cc6ffa28a3a71ebecb4f8390f843fa19b2caf56af0b458020"
        )
        let cipher = try #require(try ring().unwrap(wrapped, named: "Kunde Ä"))
        #expect(cipher.open(record, binding: "") == Data("a record of the partition".utf8))
    }

    @Test func theSameKeyAndSaltMakeTheSameRing() throws {
        let sealed = try ring().cipher.seal("text", binding: "row")
        #expect(try ring().cipher.open(sealed, binding: "row") == Data("text".utf8))
        #expect(try ring().matches(check: ring().check))
    }

    @Test(arguments: [true, false]) func anotherKeyOrSaltMakesAnotherRing(changesKey: Bool) throws {
        let ring = try ring()
        let other = changesKey ? try self.ring(bytes: 1..<33) : try self.ring(salt: "salt of another")
        #expect(ring.hashKey != other.hashKey)
        #expect(ring.partitionHashKey != other.partitionHashKey)
        #expect(ring.check != other.check)
        #expect(!ring.matches(check: other.check))
        #expect(other.cipher.open(try ring.cipher.seal("text", binding: "row"), binding: "row") == nil)
        #expect(other.unwrap(try ring.makePartitionKey(named: "p").wrapped, named: "p") == nil)
    }

    @Test func theIdentifierOfTheKeyDoesNotMatter() throws {
        let renamed = KeyRing(key: try DiskStore.EncryptionKey(identifier: "other", bytes: 0..<32), salt: Array("salt of a store".utf8))
        #expect(try renamed.matches(check: ring().check))
    }

    @Test func theCheckMustMatchInEveryBit() throws {
        let ring = try ring()
        #expect(ring.check.count == 16)
        for bit in 0..<128 {
            var other = ring.check
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!ring.matches(check: other), "bit \(bit)")
        }
        #expect(!ring.matches(check: ring.check.dropLast()))
        #expect(!ring.matches(check: ring.check + [0]))
        #expect(!ring.matches(check: []))
    }

    @Test func aWrappedKeyGivesTheSameCipher() throws {
        let (wrapped, cipher) = try ring().makePartitionKey(named: "p")
        #expect(wrapped.count == KeyRing.wrappedKeyByteCount)
        let unwrapped = try #require(try ring().unwrap(wrapped, named: "p"))
        #expect(unwrapped.open(try cipher.seal("text", binding: "row"), binding: "row") == Data("text".utf8))
    }

    @Test func everyPartitionKeyIsNew() throws {
        let ring = try ring()
        let first = try ring.makePartitionKey(named: "p")
        let second = try ring.makePartitionKey(named: "p")
        #expect(first.wrapped != second.wrapped)
        #expect(second.cipher.open(try first.cipher.seal("text", binding: "row"), binding: "row") == nil)
        #expect(ring.cipher.open(try first.cipher.seal("text", binding: "row"), binding: "row") == nil)
    }

    @Test func aWrappedKeyIsBoundToItsName() throws {
        let ring = try ring()
        let wrapped = try ring.makePartitionKey(named: "p").wrapped
        #expect(ring.unwrap(wrapped, named: "q") == nil)
        #expect(ring.unwrap(wrapped, named: "") == nil)
        #expect(ring.unwrap(wrapped, named: "p") != nil)
    }

    @Test func aDamagedWrappedKeyIsNone() throws {
        let ring = try ring()
        let wrapped = try ring.makePartitionKey(named: "p").wrapped
        for index in wrapped.indices {
            var damaged = wrapped
            damaged[index] ^= 0x10
            #expect(ring.unwrap(damaged, named: "p") == nil, "byte \(index)")
        }
        #expect(ring.unwrap([], named: "p") == nil)
        #expect(ring.unwrap(Array(wrapped.dropLast()), named: "p") == nil)
        #expect(ring.unwrap([UInt8](repeating: 0, count: wrapped.count), named: "p") == nil)
    }

    @Test func aRecordIsNoPartitionKey() throws {
        let ring = try ring()
        let record = try ring.cipher.seal(String(repeating: "k", count: 32), binding: "p")
        #expect(ring.unwrap(Array(record), named: "p") == nil)
    }
}
