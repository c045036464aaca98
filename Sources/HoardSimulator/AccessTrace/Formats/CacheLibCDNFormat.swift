// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The comma-separated values of Meta's caches for web content. Without a line of names the columns are those of the release.
///
/// <https://cachelib.org> describes it: `timestamp,cacheKey,OpType,objectSize,responseSize,responseHeaderSize,rangeStart,rangeEnd,TTL,
/// SamplingRate,cache_hit,item_value,RequestHandler,cdn_content_type_id,vip_type`. Times are in milliseconds, and -1 stands for what is not known.
struct CacheLibCDNFormat: TraceLineFormat {
    /// The columns that are read.
    enum Column: Int, CSVColumn {
        case time, key, operation, objectSize, responseSize, rangeStart, lifetime, hit, contentType

        static let names = [
            "timestamp", "cachekey", "optype", "objectsize", "responsesize", "rangestart", "ttl", "cache_hit", "cdn_content_type_id",
        ]
    }

    /// The columns of the release, and how many it has.
    private static let release = CSVColumns<Column>([
        .time: 0, .key: 1, .operation: 2, .objectSize: 3, .responseSize: 4, .rangeStart: 6, .lifetime: 8, .hit: 10, .contentType: 13,
    ])
    private static let columnCount = 15

    private var clock = TraceClock()
    private var values = CSVTable<Column>()
    private var memory = WrittenValues()
    private(set) var skippedCount = 0

    mutating func parse(_ line: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> TraceRun? {
        guard !line.isBlankOrComment else { return nil }
        guard values.read(line, areNames: Self.areNames, usual: { _ in Self.release }) else { return nil }
        guard !values[.key].isEmpty, !values[.operation].isEmpty, let time = line.number(values[.time]) else {
            throw TraceFault("expected timestamp, cacheKey and OpType in the columns of CacheLib's traces of web content.")
        }
        let object = try Self.byteCount(line, values[.objectSize], "objectSize")
        let response = try Self.byteCount(line, values[.responseSize], "responseSize")
        // The only operation of the release is a fetch.
        guard line.equals(values[.operation], "1") else {
            skippedCount += 1
            return nil
        }
        // A part of an object does not tell its size.
        let isPart = line.number(values[.rangeStart]) != nil
        let lifetime = line.number(values[.lifetime]) ?? 0
        var request = memory.request(
            key: line.key(values[.key]),
            size: object ?? (isPart ? nil : response),
            lifetime: lifetime,
            time: clock.elapsed(time)
        )
        if line.equals(values[.hit], "1") { request.wasHit = true } else if line.equals(values[.hit], "0") { request.wasHit = false }
        if line.number(values[.contentType]) != nil { request.group = UInt32(truncatingIfNeeded: line.hash(values[.contentType]) >> 33) }
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

    /// The bytes that a column says; `nil` if it says that they are not known, or none.
    private static func byteCount(_ line: Span<UInt8>, _ range: Range<Int>, _ name: String) throws(TraceFault) -> Int? {
        if range.isEmpty || line.equals(range, "-1") { return nil }
        guard let number = line.number(range), let count = Int(exactly: number) else {
            throw TraceFault("expected a number of bytes, or -1, as \(name).")
        }
        return count > 0 ? count : nil
    }
}
