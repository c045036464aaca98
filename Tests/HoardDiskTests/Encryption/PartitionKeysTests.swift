// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct PartitionKeysTests {
    private let workspace: KeyWorkspace
    private var keys: PartitionKeys { workspace.keys }

    init() throws { workspace = try KeyWorkspace() }

    @Test func aPartitionHasNoKeyUntilOneIsMade() throws {
        #expect(try keys.cipher(forPartition: "p", creating: false) == nil)
        #expect(!FileManager.default.fileExists(atPath: workspace.keysPath))
        let cipher = try #require(try keys.cipher(forPartition: "p", creating: true))
        #expect(try haveSameKey(cipher, keys.cipher(forPartition: "p", creating: false)))
        #expect(try haveSameKey(cipher, keys.cipher(forPartition: "p", creating: true)))
    }

    @Test func partitionsHaveTheirOwnKeys() throws {
        let first = try keys.cipher(forPartition: "p", creating: true)
        #expect(try keys.cipher(forPartition: "q", creating: false) == nil)
        #expect(try !haveSameKey(first, keys.cipher(forPartition: "q", creating: true)))
        #expect(try workspace.files().count == 2)
    }

    @Test func filesAreNamedByAKeyedHashAndBelongToTheirOwnerOnly() throws {
        _ = try keys.cipher(forPartition: "Kunde Ä", creating: true)
        #expect(try workspace.files() == ["434bdc25a3257703"])
        #expect(try workspace.mode(of: workspace.keysPath) == 0o700)
        #expect(try workspace.mode(of: workspace.path(ofPartition: "Kunde Ä")) == 0o600)
        #expect(try workspace.contents(ofPartition: "Kunde Ä").count == KeyRing.wrappedKeyByteCount)
    }

    @Test(arguments: ["", "/", "../../etc/passwd", "a\0b", String(repeating: "x", count: 10_000)])
    func anyNameIsFine(name: String) throws {
        let cipher = try keys.cipher(forPartition: name, creating: true)
        #expect(try haveSameKey(cipher, keys.cipher(forPartition: name, creating: false)))
        let files = try workspace.files()
        #expect(files == [keys.fileName(ofPartition: name)])
        #expect(files.first?.count == 16)
        #expect(files.first?.contains { !$0.isHexDigit } == false)
    }

    @Test func aDroppedKeyIsGone() throws {
        let old = try #require(try keys.cipher(forPartition: "p", creating: true))
        let kept = try keys.cipher(forPartition: "q", creating: true)
        try keys.drop("p")
        #expect(try workspace.files() == [keys.fileName(ofPartition: "q")])
        #expect(try keys.cipher(forPartition: "p", creating: false) == nil)
        #expect(try haveSameKey(kept, keys.cipher(forPartition: "q", creating: false)))
        #expect(try !haveSameKey(old, keys.cipher(forPartition: "p", creating: true)))
    }

    @Test func theDroppedFileIsFilledWithZeros() throws {
        _ = try keys.cipher(forPartition: "p", creating: true)
        // A second name for the file shows what happens to its bytes.
        let witness = workspace.directory + "/witness"
        try FileManager.default.linkItem(atPath: workspace.path(ofPartition: "p"), toPath: witness)
        try keys.drop("p")
        #expect(try Data(contentsOf: URL(fileURLWithPath: witness)) == Data(count: KeyRing.wrappedKeyByteCount))
    }

    @Test func droppingWhatIsNotThereDoesNothing() throws {
        try keys.drop("p")
        #expect(!FileManager.default.fileExists(atPath: workspace.keysPath))
        _ = try keys.cipher(forPartition: "q", creating: true)
        try keys.drop("p")
        try keys.drop("p")
        #expect(try workspace.files().count == 1)
    }

    @Test func anotherRingDoesNotReadTheKeys() throws {
        _ = try keys.cipher(forPartition: "p", creating: true)
        let other = KeyRing(key: try DiskStore.EncryptionKey(identifier: "main", bytes: 1..<33), salt: Array("salt of a store".utf8))
        let otherKeys = PartitionKeys(storeDirectory: workspace.directory, ring: other)
        #expect(try otherKeys.cipher(forPartition: "p", creating: false) == nil)
        // The key is refused even if the names of the files are equal.
        let foreign = workspace.keysPath + "/" + otherKeys.fileName(ofPartition: "p")
        try FileManager.default.copyItem(atPath: workspace.path(ofPartition: "p"), toPath: foreign)
        #expect(try otherKeys.cipher(forPartition: "p", creating: false) == nil)
    }

    @Test func aKeyThatWasMovedToAnotherPartitionIsNone() throws {
        _ = try keys.cipher(forPartition: "p", creating: true)
        try FileManager.default.moveItem(atPath: workspace.path(ofPartition: "p"), toPath: workspace.path(ofPartition: "q"))
        #expect(try keys.cipher(forPartition: "q", creating: false) == nil)
        #expect(try keys.cipher(forPartition: "p", creating: false) == nil)
    }
}
