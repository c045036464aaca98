// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// libCacheSim's comma-separated values. The first line may name the columns; otherwise they are time, object and size.
struct LibCacheSimFormat: TraceLineFormat {
    /// The columns that are read.
    enum Column: Hashable { case time, object, size, lifetime }

    private var clock = TraceClock()
    private var fields = CSVFields()
    /// Where the columns are; `Int.max` stands for none. A dictionary would take longer than the rest of a line.
    private var (timePlace, objectPlace, sizePlace, lifetimePlace) = (0, 1, 2, Int.max)
    private var hasStarted = false

    var skippedCount: Int { 0 }

    mutating func parse(_ line: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> TraceRun? {
        if !hasStarted, line.skippingBlanks(from: 0, to: line.contentEnd) < line.contentEnd {
            // libCacheSim's own line of names begins with #.
            fields.split(line)
            let columns = CSVColumns(line, fields, named: Self.column)
            if columns.has(.object) {
                hasStarted = true
                (timePlace, objectPlace) = (columns.place(.time), columns.place(.object))
                (sizePlace, lifetimePlace) = (columns.place(.size), columns.place(.lifetime))
                return nil
            }
        }
        guard !line.isBlankOrComment else { return nil }
        hasStarted = true
        fields.split(line)
        guard !fields[objectPlace].isEmpty else { throw TraceFault("expected time, object and size, separated by commas.") }
        var request = AccessRequest(key: line.key(fields[objectPlace]))
        if timePlace < fields.count {
            guard let time = line.fraction(fields[timePlace], decimals: 3) else { throw TraceFault("expected a number of seconds as the time.") }
            request.time = clock.elapsed(time)
        }
        if sizePlace < fields.count {
            guard let size = line.number(fields[sizePlace]), let size = Int(exactly: size) else {
                throw TraceFault("expected a number of bytes as the size.")
            }
            request.size = size
        }
        if let seconds = line.number(fields[lifetimePlace]), seconds > 0 { request.lifetime = .milliseconds(seconds: seconds) }
        requests.append(request)
        return nil
    }

    static func column(_ name: String) -> Column? {
        switch name {
        case "time", "timestamp", "ts", "clock_time", "real_time": .time
        case "object", "obj", "obj_id", "object_id", "objectid", "id", "key", "lbn", "block": .object
        case "size", "obj_size", "object_size", "objectsize", "bytes": .size
        case "ttl": .lifetime
        default: nil
        }
    }
}
