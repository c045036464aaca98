// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import Testing

/// A cache directory that a test fills without a server, and looks into with `hoard inspect`.
final class InspectedCache: Sendable {
    let directory: TemporaryDirectory
    let key: DiskStore.EncryptionKey?

    init(key: DiskStore.EncryptionKey? = nil) throws {
        directory = try TemporaryDirectory()
        self.key = key
    }

    var path: String { directory.path("cache") }

    func open() throws -> DiskStore {
        try DiskStore(configuration: .init(directory: path, encryptionKey: key))
    }

    /// Fills the cache and closes it.
    func fill(_ body: (DiskStore) async throws -> Void) async throws {
        let store = try open()
        try await body(store)
        await store.close()
    }

    /// Four records: `a` (10 bytes, fresh, tag t), `bb` (1,000 bytes, stale, text/plain), `c` (100,000 bytes in a file, in a partition), `d` (20 bytes, expired, tag t).
    /// Last used in the order of the alphabet.
    func fillWithFour() async throws {
        let now = Date()
        var a = Record(payload: Data("0123456789".utf8), created: now - 365, freshUntil: now + 1018, tags: ["t"], validator: "\"v\"")
        a.staleUntil = now + 5000
        var b = Record(payload: Data(repeating: 98, count: 1000), created: now - 300, freshUntil: now - 10, contentType: "text/plain; charset=utf-8")
        b.staleUntil = now + 2000
        var c = Record(payload: Data(repeating: 99, count: 100_000), created: now - 200)
        c.partition = "tenant"
        var d = Record(payload: Data(repeating: 100, count: 20), created: now - 100, freshUntil: now - 50, tags: ["t", "u"])
        d.staleUntil = now - 20
        let records: [(RecordKey, Record)] = [("a", a), ("bb", b), ("c", c), ("d", d)]
        try await fill { store in
            for (key, record) in records { try await store.insert(record, forKey: key) }
        }
    }

    func inspect(_ arguments: String..., environment: [String: String] = [:]) async throws -> HoardProcess.Result {
        await (try HoardProcess(["inspect"] + arguments + ["--directory", path], environment: environment)).result()
    }

    /// The output of a command with `--json`, line by line.
    func json(_ arguments: String...) async throws -> [[String: Any]] {
        let result = await (try HoardProcess(["inspect"] + arguments + ["--json", "--directory", path])).result()
        return try result.text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    /// The keys that `ls` lists.
    func keys(_ arguments: String...) async throws -> [String] {
        let result = await (try HoardProcess(["inspect", "ls", "--json"] + arguments + ["--directory", path])).result()
        return try result.text.split(separator: "\n").compactMap { line in
            (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["key"] as? String
        }
    }

    /// The paths of the payloads' files.
    func payloadPaths() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path + "/payloads").filter { $0.contains("-") }.map { path + "/payloads/" + $0 }
    }
}
