// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Hoard
import Testing

@testable import HoardDisk

@Suite struct EncryptionKeyTests {
    private typealias Key = DiskStore.EncryptionKey

    private func error(identifier: String = "main", bytes: some Sequence<UInt8>) -> StoreError? {
        do throws(StoreError) {
            _ = try Key(identifier: identifier, bytes: bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func thirtyTwoBytesMakeAKey() throws {
        let key = try Key(identifier: "main", bytes: 0..<32)
        #expect(key.identifier == "main")
        let secret = key.secret.withUnsafeBytes { Array($0) }
        #expect(secret == Array(0..<32))
    }

    @Test(arguments: [0, 1, 16, 31, 33, 64]) func anyOtherNumberOfBytesIsRefused(count: Int) {
        #expect(error(bytes: repeatElement(7, count: count))?.code == .invalidConfiguration)
    }

    @Test func anEndlessSequenceIsRefused() {
        #expect(error(bytes: sequence(first: 1 as UInt8) { $0 })?.code == .invalidConfiguration)
    }

    @Test func theErrorSaysWhatIsExpected() {
        #expect(error(bytes: [1, 2])?.message == "An encryption key must have exactly 32 bytes; this one has fewer.")
        #expect(error(bytes: 0..<33)?.message == "An encryption key must have exactly 32 bytes; this one has more.")
        #expect(error(identifier: "", bytes: 0..<32)?.message == "The identifier of an encryption key must have 1 to 256 bytes; this one has 0.")
    }

    @Test(arguments: ["a", String(repeating: "a", count: 256), String(repeating: "ä", count: 128)])
    func identifiersOfUpTo256BytesAreAccepted(identifier: String) {
        #expect(error(identifier: identifier, bytes: 0..<32) == nil)
    }

    @Test(arguments: ["", String(repeating: "a", count: 257), String(repeating: "ä", count: 129)])
    func otherIdentifiersAreRefused(identifier: String) {
        #expect(error(identifier: identifier, bytes: 0..<32)?.code == .invalidConfiguration)
    }

    @Test func noPrintedFormShowsTheBytes() throws {
        let key = try Key(identifier: "main", bytes: repeatElement(173, count: 32))
        #expect(String(describing: key) == #"EncryptionKey(identifier: "main")"#)
        #expect(String(reflecting: key) == #"EncryptionKey(identifier: "main")"#)
        var dumped = ""
        dump(key, to: &dumped)
        dump([key], to: &dumped)
        dump(Optional(key), to: &dumped)
        let interpolated = "\(key) \([key]) \(Optional(key) as Any)"
        for text in [dumped, interpolated] {
            #expect(text.contains("main"))
            #expect(!text.contains("173") && !text.lowercased().contains("adad") && !text.contains("secret"))
        }
    }

    @Test func theMirrorHasTheIdentifierOnly() throws {
        let key = try Key(identifier: "main", bytes: 0..<32)
        #expect(Mirror(reflecting: key).children.map(\.label) == ["identifier"])
    }
}
