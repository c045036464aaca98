// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The comma-separated values of Meta's caches for web content. Without a line of names the columns are those of the release.
///
/// <https://cachelib.org> describes it: `timestamp,cacheKey,OpType,objectSize,responseSize,responseHeaderSize,rangeStart,rangeEnd,TTL,
/// SamplingRate,cache_hit,item_value,RequestHandler,cdn_content_type_id,vip_type`. Times are in milliseconds, and -1 stands for what is not known.
struct CacheLibCDNFormat: TraceLineFormat {
    /// The columns that are read. Names of columns are compared in lower case.
    enum Column: String, Hashable, CaseIterable {
        case time = "timestamp"
        case key = "cachekey"
        case operation = "optype"
        case objectSize = "objectsize"
        case responseSize = "responsesize"
        case rangeStart = "rangestart"
        case lifetime = "ttl"
        case hit = "cache_hit"
        case contentType = "cdn_content_type_id"
    }

    /// The columns of the release, and how many it has.
    private static let release = CSVColumns<Column>([
        .time: 0, .key: 1, .operation: 2, .objectSize: 3, .responseSize: 4, .rangeStart: 6, .lifetime: 8, .hit: 10, .contentType: 13,
    ])
    private static let columnCount = 15

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
            let isNamed = Self.areNames(named)
            places = Column.allCases.map(isNamed ? named.place : Self.release.place)
            if isNamed { return nil }
        }
        guard !self[1].isEmpty, !self[2].isEmpty, let time = line.number(self[0]) else {
            throw TraceFault("expected timestamp, cacheKey and OpType in the columns of CacheLib's traces of web content.")
        }
        let object = try Self.byteCount(line, self[3], "objectSize")
        let response = try Self.byteCount(line, self[4], "responseSize")
        // The only operation of the release is a fetch.
        guard line.equals(self[2], "1") else {
            skippedCount += 1
            return nil
        }
        // A part of an object does not tell its size.
        let isPart = line.number(self[5]) != nil
        let lifetime = line.number(self[6]) ?? 0
        var request = memory.request(
            key: line.key(self[1]),
            size: object ?? (isPart ? nil : response),
            lifetime: lifetime,
            time: clock.elapsed(time)
        )
        if line.equals(self[7], "1") { request.wasHit = true } else if line.equals(self[7], "0") { request.wasHit = false }
        if line.number(self[8]) != nil { request.group = UInt32(truncatingIfNeeded: line.hash(self[8]) >> 33) }
        requests.append(request)
        return nil
    }

    /// Whether columns with these names are those of the format.
    static func areNames(_ columns: CSVColumns<Column>) -> Bool {
        columns.has(.key) && columns.has(.operation) && columns.has(.time)
    }

    /// Whether a line is a request of the release.
    static func isRequest(_ line: Span<UInt8>, _ fields: CSVFields) -> Bool {
        guard fields.count == columnCount, line.equals(fields[2], "1") else { return false }
        return line.number(fields[0]) != nil && (line.equals(fields[10], "0") || line.equals(fields[10], "1"))
    }

    /// The value of a column, by its place among the cases; empty if there is none.
    private subscript(column: Int) -> Range<Int> { fields[places[column]] }

    /// The bytes that a column says; `nil` if it says that they are not known, or none.
    private static func byteCount(_ line: Span<UInt8>, _ range: Range<Int>, _ name: String) throws(TraceFault) -> Int? {
        if range.isEmpty || line.equals(range, "-1") { return nil }
        guard let number = line.number(range), let count = Int(exactly: number) else {
            throw TraceFault("expected a number of bytes, or -1, as \(name).")
        }
        return count > 0 ? count : nil
    }
}
