// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk

/// Puts objects into files of a directory.
protocol FileStorage: Sendable {
    init(directory: String) throws
    func store(_ data: Data, forKey key: String) async throws
    func data(forKey key: String) async throws -> Data?
}

/// An imitation of the tutorial's disk cache: the key is the name of the file.
struct SeedFileStorage: FileStorage {
    let directory: String

    init(directory: String) throws {
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    func store(_ data: Data, forKey key: String) async throws {
        try data.write(to: URL(fileURLWithPath: directory + "/" + key))
    }

    func data(forKey key: String) async throws -> Data? {
        try? Data(contentsOf: URL(fileURLWithPath: directory + "/" + key))
    }
}

/// Hoard's `DiskStore`.
struct HoardFileStorage: FileStorage {
    let store: DiskStore

    init(directory: String) throws {
        // All payloads lie in files, where the names matter.
        store = try DiskStore(configuration: .init(directory: directory, maximumInlinePayloadBytes: 0))
    }

    func store(_ data: Data, forKey key: String) async throws {
        try await store.insert(Record(payload: data, created: .now), forKey: RecordKey(key))
    }

    func data(forKey key: String) async throws -> Data? {
        try await store.record(forKey: RecordKey(key))?.payload
    }
}
