// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The comma-separated values of Meta's key-value caches. Without a line of names the columns are those of
/// the release with as many of them.
///
/// <https://cachelib.org> describes the releases: `key,op,size,op_count,key_size`, which `ttl` may follow, and later
/// `op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase`.
struct CacheLibFormat: TraceLineFormat {
    /// The columns that are read.
    enum Column: Int, CSVColumn {
        case time, key, op, size, count, keySize, lifetime, hits, useCase

        static let names = ["op_time", "key", "op", "size", "op_count", "key_size", "ttl", "cache_hits", "usecase"]
    }

    private var clock = TraceClock()
    private var values = CSVTable<Column>()
    private var memory = WrittenValues()
    private(set) var skippedCount = 0

    mutating func parse(_ line: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> TraceRun? {
        guard !line.isBlankOrComment else { return nil }
        guard values.read(line, areNames: { $0.has(.key) && $0.has(.op) }, usual: Self.columns) else { return nil }
        let key = values[.key]
        guard !key.isEmpty, let size = line.number(values[.size]), let count = optional(line, .count, default: 1),
            let keySize = optional(line, .keySize, default: 0),
            let seconds = optional(line, .time, default: 0)
        else {
            throw TraceFault("expected key, op, size, op_count and key_size in the columns of CacheLib's traces.")
        }
        let lifetime = line.number(values[.lifetime]) ?? 0
        let byteCount = try size == 0 ? nil : Int(sum: keySize, size)
        let hash = line.key(key)
        guard line.equals(values[.op], "GET") || line.equals(values[.op], "GET_LEASE") else {
            guard !values[.op].isEmpty else { throw TraceFault("expected an operation such as GET or SET.") }
            if line.starts(values[.op], with: "SET") { memory.write(key: hash, size: byteCount, lifetime: lifetime) }
            skippedCount += 1
            return nil
        }
        var request = memory.request(key: hash, size: byteCount, lifetime: lifetime, time: nil)
        if !values[.time].isEmpty { request.time = clock.elapsed(.milliseconds(seconds: seconds)) }
        if !values[.useCase].isEmpty { request.group = UInt32(truncatingIfNeeded: line.hash(values[.useCase]) >> 33) }
        // Some hits of several requests are not known to be any one's.
        if let hits = line.number(values[.hits]) { request.wasHit = hits >= count ? true : hits == 0 ? false : nil }
        return TraceRun(request: request, keyStep: 0, count: count)
    }

    /// The number of a column that may be missing; `nil` if it is there and is none.
    private func optional(_ line: Span<UInt8>, _ column: Column, default value: UInt64) -> UInt64? {
        values[column].isEmpty ? value : line.number(values[column])
    }

    private static func columns(count: Int) -> CSVColumns<Column> {
        count >= 8
            ? CSVColumns([.time: 0, .key: 1, .keySize: 2, .op: 3, .count: 4, .size: 5, .hits: 6, .lifetime: 7, .useCase: 8])
            : CSVColumns([.key: 0, .op: 1, .size: 2, .count: 3, .keySize: 4, .lifetime: 5])
    }
}
