// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads libCacheSim's binary format: records of 24 bytes in little-endian order.
struct OracleGeneralDecoder: TraceDecoder {
    static let recordByteCount = 24

    private var clock = TraceClock()
    /// The beginning of a record that goes on in the next bytes.
    private var beginning: [UInt8] = []
    private var recordCount = 0

    /// The record that is read, or would be next.
    var place: TracePlace { .record(recordCount + 1) }
    var skippedCount: Int { 0 }
    var hasMore: Bool { false }

    mutating func decode(_ bytes: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> Int {
        var index = 0
        if !beginning.isEmpty {
            while index < bytes.count, beginning.count < Self.recordByteCount {
                beginning.append(bytes[index])
                index += 1
            }
            guard beginning.count == Self.recordByteCount else { return index }
            let record = beginning
            record.withSpan { append($0, at: 0, to: &requests) }
            beginning = []
        }
        while bytes.count - index >= Self.recordByteCount, requests.count < TraceBatch.requestCount {
            append(bytes, at: index, to: &requests)
            index += Self.recordByteCount
        }
        guard bytes.count - index < Self.recordByteCount else { return index }
        while index < bytes.count {
            beginning.append(bytes[index])
            index += 1
        }
        return index
    }

    mutating func finish(into requests: inout [AccessRequest]) throws(TraceFault) {
        guard beginning.isEmpty else {
            throw TraceFault("the record has \(beginning.count) bytes instead of \(Self.recordByteCount).", code: .truncated)
        }
    }

    /// Appends a request. An object of no bytes has a size that was unknown when the access trace was made.
    private mutating func append(_ bytes: Span<UInt8>, at index: Int, to requests: inout [AccessRequest]) {
        let size = Int(Self.littleEndian(bytes, index + 12, byteCount: 4))
        requests.append(
            AccessRequest(
                key: Self.littleEndian(bytes, index + 4, byteCount: 8),
                size: size == 0 ? nil : size,
                time: clock.elapsed(.milliseconds(seconds: Self.littleEndian(bytes, index, byteCount: 4)))
            )
        )
        recordCount += 1
    }

    static func littleEndian(_ bytes: Span<UInt8>, _ start: Int, byteCount: Int) -> UInt64 {
        var value: UInt64 = 0
        for offset in (0..<byteCount).reversed() { value = value << 8 | UInt64(bytes[start + offset]) }
        return value
    }
}
