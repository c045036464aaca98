// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The comma-separated values of Meta's key-value caches. Without a line of names the columns are those of
/// the release with as many of them.
///
/// <https://cachelib.org> describes the releases: `key,op,size,op_count,key_size`, which `ttl` may follow, and later
/// `op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase`.
struct CacheLibFormat: TraceLineFormat {
    /// The columns that are read.
    enum Column: String, Hashable, CaseIterable {
        case time = "op_time"
        case key, op, size
        case count = "op_count"
        case keySize = "key_size"
        case lifetime = "ttl"
        case hits = "cache_hits"
        case useCase = "usecase"
    }

    private var clock = TraceClock()
    private var fields = CSVFields()
    private var memory = WrittenValues()
    /// The place of each column, in the order of their cases.
    private var places: [Int] = []
    private(set) var skippedCount = 0

    mutating func parse(_ line: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> TraceRun? {
        guard !line.isBlankOrComment else { return nil }
        fields.split(line)
        if places.isEmpty {
            let named = CSVColumns(line, fields) { Column(rawValue: $0) }
            let isNamed = named.has(.key) && named.has(.op)
            places = Column.allCases.map(isNamed ? named.place : Self.columns(count: fields.count).place)
            if isNamed { return nil }
        }
        let key = self[.key]
        guard !key.isEmpty, let size = line.number(self[.size]), let count = optional(line, .count, default: 1),
            let keySize = optional(line, .keySize, default: 0),
            let seconds = optional(line, .time, default: 0)
        else {
            throw TraceFault("expected key, op, size, op_count and key_size in the columns of CacheLib's traces.")
        }
        let lifetime = line.number(self[.lifetime]) ?? 0
        let byteCount = try size == 0 ? nil : Int(sum: keySize, size)
        let hash = line.key(key)
        guard line.equals(self[.op], "GET") || line.equals(self[.op], "GET_LEASE") else {
            guard !self[.op].isEmpty else { throw TraceFault("expected an operation such as GET or SET.") }
            if line.starts(self[.op], with: "SET") { memory.write(key: hash, size: byteCount, lifetime: lifetime) }
            skippedCount += 1
            return nil
        }
        var request = memory.request(key: hash, size: byteCount, lifetime: lifetime, time: nil)
        if !self[.time].isEmpty { request.time = clock.elapsed(.milliseconds(seconds: seconds)) }
        if !self[.useCase].isEmpty { request.group = UInt32(truncatingIfNeeded: line.hash(self[.useCase]) >> 33) }
        // Some hits of several requests are not known to be any one's.
        if let hits = line.number(self[.hits]) { request.wasHit = hits >= count ? true : hits == 0 ? false : nil }
        return TraceRun(request: request, keyStep: 0, count: count)
    }

    /// The value of a column of the line; empty if there is none.
    private subscript(column: Column) -> Range<Int> {
        switch column {
        case .time: fields[places[0]]
        case .key: fields[places[1]]
        case .op: fields[places[2]]
        case .size: fields[places[3]]
        case .count: fields[places[4]]
        case .keySize: fields[places[5]]
        case .lifetime: fields[places[6]]
        case .hits: fields[places[7]]
        case .useCase: fields[places[8]]
        }
    }

    /// The number of a column that may be missing; `nil` if it is there and is none.
    private func optional(_ line: Span<UInt8>, _ column: Column, default value: UInt64) -> UInt64? {
        self[column].isEmpty ? value : line.number(self[column])
    }

    private static func columns(count: Int) -> CSVColumns<Column> {
        count >= 8
            ? CSVColumns([.time: 0, .key: 1, .keySize: 2, .op: 3, .count: 4, .size: 5, .hits: 6, .lifetime: 7, .useCase: 8])
            : CSVColumns([.key: 0, .op: 1, .size: 2, .count: 3, .keySize: 4, .lifetime: 5])
    }
}
