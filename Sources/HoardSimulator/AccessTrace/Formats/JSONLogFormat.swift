// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Lines of a JSON object each, in which the names of Caddy, Hoard and nginx are known. A line without a
/// request is skipped.
struct JSONLogFormat: TraceLineFormat {
    private var requests: LogRequests

    init(reading: LogReading? = nil) {
        requests = LogRequests(reading: reading)
    }

    var skippedCount: Int { requests.skippedCount }

    /// A member that counts. Of several times and durations, the one that comes first here is used.
    enum Field: Int, CaseIterable {
        case method, target, host, request, status, byteCount, cache, client, agent
        case time
        case originDuration, firstByteDuration, duration
    }

    /// The values of a line; `nil` if it has none.
    private struct Values {
        private var values: [JSONValue?] = Array(repeating: nil, count: Field.allCases.count)

        subscript(field: Field) -> JSONValue? {
            get { values[field.rawValue] }
            // If several names mean the same, the first counts.
            set { if values[field.rawValue] == nil { values[field.rawValue] = newValue } }
        }

        mutating func removeAll() {
            for index in values.indices { values[index] = nil }
        }
    }
    private var values = Values()

    mutating func parse(_ line: Span<UInt8>, into batch: inout [AccessRequest]) throws(TraceFault) -> TraceRun? {
        let start = JSONLine.skippingBlanks(line, from: 0)
        guard start < line.count else { return nil }
        guard line[start] == UInt8(ascii: "{") else { throw JSONLine.unexpected(line, at: start) }
        values.removeAll()
        let end = JSONLine.skippingBlanks(line, from: try readObject(line, from: start, isNested: false))
        guard end == line.count else { throw JSONLine.unexpected(line, at: end) }
        requests.append(entry(line), to: &batch)
        return nil
    }

    /// Keeps the values that count of an object, and those of the object `request` in it, which Caddy writes.
    private mutating func readObject(_ line: Span<UInt8>, from start: Int, isNested: Bool) throws(TraceFault) -> Int {
        var index = start + 1
        var isFirst = true
        while let member = try JSONLine.member(line, at: &index, isFirst: isFirst) {
            isFirst = false
            if let field = Self.field(line, member.name) {
                if field == .request, member.value.kind == .object {
                    if !isNested { _ = try readObject(line, from: member.value.range.lowerBound, isNested: true) }
                } else if member.value.kind != .object {
                    values[field] = member.value
                }
            }
            if member.isLast { break }
        }
        return index
    }

    private func entry(_ line: Span<UInt8>) -> LogLine {
        var entry = requests.makeLine()
        entry.status = values[.status].flatMap { line.number($0.range) }
        entry.byteCount = values[.byteCount].flatMap { line.number($0.range) }
        entry.time = values[.time].flatMap { Self.time(line, $0) }
        entry.duration = Self.duration(line, values)
        if let cache = values[.cache] { entry.outcome = CacheWord(line, cache.range) }
        if entry.isProfiled {
            if let host = values[.host] { line.append(host.range, to: &entry.host) }
            entry.client = values[.client].map { line.hash($0.range) }
            entry.agent = values[.agent].map { line.hash($0.range) }
        }
        let hostHash = values[.host].map { line.hash($0.range) } ?? 0
        if let target = values[.target] {
            if let method = values[.method] { entry.setMethod(line, method.range) }
            if target.kind == .escapedText {
                let text = JSONLine.unescaped(line, target.range)
                text.withSpan { entry.setTarget($0, 0..<$0.count, hostHash: hostHash) }
            } else {
                entry.setTarget(line, target.range, hostHash: hostHash)
            }
        } else if let request = values[.request] {
            if request.kind == .escapedText {
                let text = JSONLine.unescaped(line, request.range)
                text.withSpan { entry.setRequest($0, 0..<$0.count, hostHash: hostHash) }
            } else {
                entry.setRequest(line, request.range, hostHash: hostHash)
            }
        }
        return entry
    }

    private static func duration(_ line: Span<UInt8>, _ values: borrowing Values) -> UInt64? {
        for field in [Field.originDuration, .firstByteDuration, .duration] {
            if let value = values[field], let duration = line.fraction(value.range, decimals: 6) { return duration }
        }
        return nil
    }

    /// A date, or a number of seconds since 1970. A number too large for that is one of milliseconds,
    /// microseconds or nanoseconds.
    private static func time(_ line: Span<UInt8>, _ value: JSONValue) -> UInt64? {
        if value.kind == .text, let date = LogDate.iso(line, value.range) ?? LogDate.common(line, value.range) { return date }
        guard let number = line.number(value.range) else { return line.fraction(value.range, decimals: 3) }
        // 100,000 million seconds after 1970 are the year 5138.
        return switch number {
        case ..<100_000_000_000: .milliseconds(seconds: number)
        case ..<100_000_000_000_000: number
        case ..<100_000_000_000_000_000: number / 1_000
        default: number / 1_000_000
        }
    }
}
