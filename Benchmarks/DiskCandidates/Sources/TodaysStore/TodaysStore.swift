// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Candidates
internal import Foundation
internal import Hoard
internal import HoardDisk

/// Today's `DiskStore`, with the queue that it has itself.
public final class TodaysStore: Subject {
    private let store: DiskStore
    private let created = Date.now

    public init(_ options: CandidateOptions) throws {
        store = try DiskStore(configuration: .init(directory: options.directory + "/store", maximumBytes: options.maximumBytes ?? 1 << 40))
    }

    public func set(_ key: [UInt8], to payload: [UInt8]) async throws {
        try await store.insert(Record(payload: Data(payload), created: created), forKey: RecordKey(bytes: key))
    }

    public func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        guard case .record(let record) = try store.immediateRecord(forKey: RecordKey(bytes: key)) else { return nil }
        return record.payload.withUnsafeBytes { bytes in
            buffer.copyMemory(from: bytes)
            return bytes.count
        }
    }

    /// Until the index knows every record, and so can tell that one is absent. The reading lets the store notice that a killed process has left a commit unfinished.
    public func waitUntilComplete() {
        while !store.isKnownAbsent("none has this key") {
            _ = try? store.immediateRecord(forKey: "none has this key")
            usleep(1_000)
        }
    }

    public var recordCount: Int { 0 }

    public func close() async throws { await store.close() }
}
