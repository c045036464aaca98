// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CZlib
import Foundation
import Testing

@testable import HoardSimulator

/// A directory for one test, removed with everything in it when the test is done.
final class TraceDirectory: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-traces-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file with these contents, and returns its path.
    func write(_ bytes: some Sequence<UInt8>, to name: String = "trace.txt") throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Writes each text as a gzip member of one file, and returns its path.
    func writeGzip(_ members: String..., to name: String = "trace.txt.gz") throws -> String {
        let file = path + "/" + name
        for member in members {
            let stream = gzopen(file, "ab")
            gzwrite(stream, member, UInt32(member.utf8.count))
            gzclose(stream)
        }
        return file
    }
}

/// All keys of a file, read in parts of this many bytes.
func keys(of path: String, partByteCount: Int = 1 << 16) throws(AccessTraceError) -> [UInt64] {
    try requests(of: path, partByteCount: partByteCount).requests.map(\.key)
}

/// All requests of a file, read in parts of this many bytes, and the number of lines that were skipped.
func requests(
    of path: String,
    as format: AccessTraceFormat? = nil,
    partByteCount: Int = 1 << 16
) throws(AccessTraceError) -> (requests: [AccessRequest], skippedCount: Int, format: AccessTraceFormat?) {
    let reader = try AccessTraceReader(path: path, format: format, partByteCount: partByteCount)
    var all: [AccessRequest] = []
    var batch: [AccessRequest] = []
    while try reader.readBatch(into: &batch) { all += batch }
    return (all, reader.skippedCount, reader.format)
}

extension TraceDirectory {
    /// The requests of a text. They must be the same wherever the text is cut.
    func requests(in text: String, as format: AccessTraceFormat? = nil) throws -> (
        requests: [AccessRequest], skippedCount: Int, format: AccessTraceFormat?
    ) {
        let path = try write(text.utf8)
        let whole = try HoardSimulatorTests.requests(of: path, as: format)
        for partByteCount in [1, 2, 3, 7, 64] {
            let cut = try HoardSimulatorTests.requests(of: path, as: format, partByteCount: partByteCount)
            #expect(cut.requests == whole.requests, "in parts of \(partByteCount) bytes")
            #expect(cut.skippedCount == whole.skippedCount)
            #expect(cut.format == whole.format)
        }
        return whole
    }

    /// The error of a text. It must be the same wherever the text is cut.
    func error(in text: String, as format: AccessTraceFormat? = nil) throws -> AccessTraceError {
        let path = try write(text.utf8)
        let whole = try #require(throws: AccessTraceError.self) { _ = try HoardSimulatorTests.requests(of: path, as: format) }
        for partByteCount in [1, 3, 64] {
            let cut = try #require(throws: AccessTraceError.self) {
                _ = try HoardSimulatorTests.requests(of: path, as: format, partByteCount: partByteCount)
            }
            #expect(cut.message == whole.message)
            #expect(cut.code == whole.code)
        }
        return whole
    }
}
