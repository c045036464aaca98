// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTestSupport

/// A directory with one snapshot in it, or none.
struct SnapshotFixture {
    let directory: TemporaryDirectory
    let schema = "test/1"

    init() throws { directory = try TemporaryDirectory() }

    var path: String { directory.path(of: "snapshot") }

    func write(_ payload: [UInt8], to name: String = "snapshot") throws(SnapshotError) {
        try SnapshotFile.write(payload, schema: schema, to: directory.path(of: name))
    }

    func read(maximumBytes: Int = 1 << 24) throws(SnapshotError) -> [UInt8] {
        try SnapshotFile.read(path: path, schema: schema, maximumBytes: maximumBytes)
    }

    func readingCode(maximumBytes: Int = 1 << 24) -> SnapshotError.Code? {
        error { () throws(SnapshotError) in _ = try read(maximumBytes: maximumBytes) }?.code
    }

    func writingError(to path: String) -> SnapshotError? {
        error { () throws(SnapshotError) in try SnapshotFile.write([1], schema: schema, to: path) }
    }

    /// The error of `body`, or `nil` if it throws none.
    func error(of body: () throws(SnapshotError) -> Void) -> SnapshotError? {
        do throws(SnapshotError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// Writes bytes to the place of the snapshot, as they are.
    func plant(_ bytes: [UInt8]) throws { try directory.write(bytes, to: "snapshot") }

    func bytes() throws -> [UInt8] { try directory.bytes(of: "snapshot") }
}
