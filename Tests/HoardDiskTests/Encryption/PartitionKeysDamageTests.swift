// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct PartitionKeysDamageTests {
    private let workspace: KeyWorkspace
    private var keys: PartitionKeys { workspace.keys }

    init() throws { workspace = try KeyWorkspace() }

    @Test(arguments: [[], [1, 2, 3], [UInt8](repeating: 0, count: 60), [UInt8](repeating: 7, count: 61), [UInt8](repeating: 7, count: 100_000)])
    func aDamagedKeyCountsAsDroppedAndIsReplaced(contents: [UInt8]) throws {
        let old = try #require(try keys.cipher(forPartition: "p", creating: true))
        try workspace.write(contents, forPartition: "p")
        #expect(try keys.cipher(forPartition: "p", creating: false) == nil)
        let new = try keys.cipher(forPartition: "p", creating: true)
        #expect(try !haveSameKey(old, new))
        #expect(try haveSameKey(new, keys.cipher(forPartition: "p", creating: false)))
        #expect(try workspace.files().count == 1)
    }

    @Test func aKeyWithBytesAfterItIsDamaged() throws {
        _ = try keys.cipher(forPartition: "p", creating: true)
        try workspace.write(try workspace.contents(ofPartition: "p") + [0], forPartition: "p")
        #expect(try keys.cipher(forPartition: "p", creating: false) == nil)
    }

    @Test func theReplacedFileIsFilledWithZeros() throws {
        _ = try keys.cipher(forPartition: "p", creating: true)
        var contents = try workspace.contents(ofPartition: "p")
        contents[20] ^= 1
        try FileManager.default.removeItem(atPath: workspace.path(ofPartition: "p"))
        try workspace.write(contents, forPartition: "p")
        let witness = workspace.directory + "/witness"
        try FileManager.default.linkItem(atPath: workspace.path(ofPartition: "p"), toPath: witness)
        _ = try keys.cipher(forPartition: "p", creating: true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: witness)) == Data(count: KeyRing.wrappedKeyByteCount))
    }

    @Test(arguments: [false, true]) func aLinkIsNoKeyAndIsRemoved(leadsToAKey: Bool) throws {
        let moved = workspace.directory + "/moved"
        _ = try keys.cipher(forPartition: "p", creating: true)
        try FileManager.default.moveItem(atPath: workspace.path(ofPartition: "p"), toPath: leadsToAKey ? moved : moved + ".other")
        try FileManager.default.createSymbolicLink(atPath: workspace.path(ofPartition: "p"), withDestinationPath: moved)
        #expect(try keys.cipher(forPartition: "p", creating: false) == nil)
        try keys.drop("p")
        #expect(try workspace.files().isEmpty)
    }

    @Test func whatACrashLeftBehindIsInNobodysWay() throws {
        _ = try keys.cipher(forPartition: "q", creating: true)
        let temporary = workspace.path(ofPartition: "p") + ".new"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: temporary))
        #expect(try keys.cipher(forPartition: "p", creating: false) == nil)
        #expect(try keys.cipher(forPartition: "p", creating: true) != nil)
        #expect(try workspace.files().count == 2)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: temporary))
        try keys.drop("p")
        #expect(try workspace.files().count == 1)
    }

    @Test func aFileInPlaceOfTheDirectoryIsReported() throws {
        try Data().write(to: URL(fileURLWithPath: workspace.keysPath))
        #expect(throws: StoreError.self) { try keys.cipher(forPartition: "p", creating: false) }
        #expect(throws: StoreError.self) { try keys.cipher(forPartition: "p", creating: true) }
        #expect(throws: StoreError.self) { try keys.drop("p") }
    }

    @Test func aMissingStoreIsReportedWhenAKeyIsToBeMade() throws {
        let keys = PartitionKeys(storeDirectory: workspace.directory + "/missing", ring: workspace.ring)
        #expect(try keys.cipher(forPartition: "p", creating: false) == nil)
        #expect(throws: StoreError.self) { try keys.cipher(forPartition: "p", creating: true) }
        try keys.drop("p")
    }

    @Test func aDirectoryInPlaceOfAKeyIsReported() throws {
        try FileManager.default.createDirectory(atPath: workspace.path(ofPartition: "p"), withIntermediateDirectories: true)
        #expect(try keys.cipher(forPartition: "p", creating: false) == nil)
        #expect(throws: StoreError.self) { try keys.drop("p") }
    }
}
