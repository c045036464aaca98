// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Segments

/// D: segment files with an index in memory, and the commits in the segments.
public final class SegmentCandidate: Candidate {
    public let store: SegmentStore

    public init(_ options: CandidateOptions) throws {
        try FileManager.default.createDirectory(atPath: options.directory, withIntermediateDirectories: true)
        store = try SegmentStore(.init(directory: options.directory, maximumBytes: options.maximumBytes))
    }

    public func commit(_ changes: [Change]) throws { try store.commit(changes) }
    public func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int? { try store.read(key, into: buffer) }
    public func waitUntilComplete() { store.waitUntilComplete() }
    public var recordCount: Int { store.recordCount }
    public func close() throws { try store.close() }
}
