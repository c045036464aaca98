// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Records of the access log, and the bytes of their texts.
struct AccessLogBatch: Sendable {
    var records: [AccessLogRecord] = []
    var bytes: [UInt8] = []
    /// Requests that there was no room for.
    var droppedCount = 0

    var isEmpty: Bool { records.isEmpty && droppedCount == 0 }

    /// Empties the batch, which keeps its memory.
    mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        droppedCount = 0
    }
}
