// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CZlib
import Foundation

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

    /// Writes a file as it is, and returns its path.
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

/// All keys of a file, read in parts of that many bytes.
func keys(of path: String, partByteCount: Int = 1 << 16) throws(AccessTraceError) -> [UInt64] {
    let reader = try AccessTraceReader(path: path, partByteCount: partByteCount)
    var all: [UInt64] = []
    var batch: [AccessRequest] = []
    while try reader.readBatch(into: &batch) { all += batch.map(\.key) }
    return all
}
