// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Segments

@testable import SegmentsWorker

/// A directory that is deleted with its object.
final class TemporaryDirectory {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("segments-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Another directory with the same files. Of an open store it has the files that a kill would leave.
    func copy() throws -> TemporaryDirectory {
        let copy = try TemporaryDirectory()
        for file in files { try FileManager.default.copyItem(atPath: "\(path)/\(file)", toPath: "\(copy.path)/\(file)") }
        return copy
    }

    /// Puts a directory in the place of a file while `body` runs: it can be neither opened nor deleted as a file.
    func blocking(_ file: String, _ body: () throws -> Void) throws {
        let path = "\(path)/\(file)"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer {
            try? FileManager.default.removeItem(atPath: path)
            try? FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        }
        try body()
    }

    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    func byteCount(_ file: String) -> Int { (try? Data(contentsOf: URL(fileURLWithPath: "\(path)/\(file)")).count) ?? 0 }

    func create(_ file: String) throws { try Data().write(to: URL(fileURLWithPath: "\(path)/\(file)")) }

    func delete(_ file: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(file)") }

    func change(_ file: String, _ body: (inout Data) -> Void) throws {
        let url = URL(fileURLWithPath: "\(path)/\(file)")
        var data = try Data(contentsOf: url)
        body(&data)
        try data.write(to: url)
    }
}

extension SegmentStore {
    func set(_ key: Int, _ version: Int) throws {
        try commit([SegmentChange(key: WorkerPayload.key(key), payload: WorkerPayload.payload(key, version))])
    }

    func remove(_ key: Int) throws { try commit([SegmentChange(key: WorkerPayload.key(key), payload: nil)]) }

    /// The version of a key's record; 0 if there is none, -1 if no such record was ever written for this key.
    func version(_ key: Int) throws -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { buffer.deallocate() }
        guard let count = try read(WorkerPayload.key(key), into: buffer) else { return 0 }
        let payload = Array(buffer[..<count])
        let head = payload.prefix(40).split(separator: 32).prefix(2).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard head.count == 2, head[0] == key, payload == WorkerPayload.payload(key, head[1]) else { return -1 }
        return head[1]
    }
}

/// The versions that a key's record may have, 0 for none.
struct Model {
    private(set) var allowed: [Int: Set<Int>] = [:]
    /// Whether the store may forget.
    var mayForget = false

    /// Takes in the output of a worker.
    mutating func add(_ output: String) {
        var batch: [(key: Int, version: Int)] = []
        for line in output.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields[0] == "!" {
                for change in batch { allowed[change.key] = [change.version] }
                batch.removeAll()
            } else if fields.count == 4, let key = Int(fields[2]), let version = Int(fields[3]) {
                batch.append((key, version))
            }
        }
        // Not acknowledged: each of them may have been made or not.
        for change in batch { allowed[change.key, default: [0]].insert(change.version) }
    }

    mutating func set(_ key: Int, _ version: Int) { allowed[key] = [version] }

    /// The first key whose record is not allowed.
    mutating func violation(_ store: SegmentStore) throws -> String? {
        for (key, versions) in allowed {
            let found = try store.version(key)
            guard versions.contains(found) || (mayForget && found == 0) else { return "key \(key) is \(found), not one of \(versions.sorted())" }
            allowed[key] = [found]
        }
        return nil
    }
}

struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A number from the environment, for longer campaigns.
func campaignSize(_ name: String, _ standard: Int) -> Int { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard }
