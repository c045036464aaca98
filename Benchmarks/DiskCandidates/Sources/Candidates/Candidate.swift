// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Segments

/// A change whose writer waits for it.
public typealias Change = SegmentChange

/// A shape of a disk store. One thread at a time calls ``commit(_:)``; any number call ``read(_:into:)`` beside it.
public protocol Candidate: AnyObject, Sendable {
    /// Makes the changes. When it returns, they survive the end of the process by `kill -9`.
    func commit(_ changes: [Change]) throws

    /// Copies a record's payload into `buffer`.
    ///
    /// - Returns: The payload's length; `nil` if there is no such record.
    func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int?

    /// Returns when everything that is on disk is known. Blocks.
    func waitUntilComplete()

    var recordCount: Int { get }

    func close() throws
}

extension Candidate {
    public func waitUntilComplete() {}
}

/// The settings of a candidate.
public struct CandidateOptions: Sendable {
    public var directory: String
    /// The most bytes of all files together. `nil` is no limit.
    public var maximumBytes: Int?

    public init(directory: String, maximumBytes: Int? = nil) {
        self.directory = directory
        self.maximumBytes = maximumBytes
    }
}

/// A store that many tasks write into, each waiting for its own writes.
public protocol Subject: Sendable {
    func set(_ key: [UInt8], to payload: [UInt8]) async throws
    func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int?
    func waitUntilComplete()
    var recordCount: Int { get }
    func close() async throws
}
