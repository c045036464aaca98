// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardDisk

/// A temporary store directory with a key ring. The directory goes with it.
final class KeyWorkspace: Sendable {
    let directory: String
    let ring: KeyRing

    init() throws {
        directory = NSTemporaryDirectory() + "hoard-partition-keys-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        ring = KeyRing(key: try DiskStore.EncryptionKey(identifier: "main", bytes: 0..<32), salt: Array("salt of a store".utf8))
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    var keys: PartitionKeys { PartitionKeys(storeDirectory: directory, ring: ring) }
    var keysPath: String { directory + "/keys" }

    func path(ofPartition name: String) -> String { "\(keysPath)/\(keys.fileName(ofPartition: name))" }
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: keysPath).sorted() }
    func contents(ofPartition name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(ofPartition: name))) }
    func write(_ bytes: some Sequence<UInt8>, forPartition name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(ofPartition: name)))
    }
    func mode(of path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber).intValue
    }
}

/// Whether two ciphers have the same key.
func haveSameKey(_ first: RecordCipher?, _ second: RecordCipher?) throws -> Bool {
    guard let first, let second else { return false }
    return second.open(try first.seal("text", binding: "row"), binding: "row") != nil
}
