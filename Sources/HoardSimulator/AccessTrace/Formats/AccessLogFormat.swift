// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Lines of the common log format, and of those that continue it: `host ident user [date] "request" status
/// bytes "referrer" "agent" more`.
struct AccessLogFormat: TraceLineFormat {
    private var requests: LogRequests

    init(reading: LogReading? = nil) {
        requests = LogRequests(reading: reading)
    }

    var skippedCount: Int { requests.skippedCount }

    /// A line that does not fit is counted: what users and clients send may make one.
    mutating func parse(_ line: Span<UInt8>, into batch: inout [AccessRequest]) throws(TraceFault) -> TraceRun? {
        let end = line.contentEnd
        guard line.skippingBlanks(from: 0, to: end) < end, line[0] != UInt8(ascii: "#") else { return nil }
        guard let found = Self.parts(line, end) else {
            requests.skip()
            return nil
        }
        var entry = requests.makeLine()
        entry.time = found.time
        let host = Self.host(line, before: found.dateStart - 1)
        entry.setRequest(line, found.request, hostHash: host.map { line.hash($0) } ?? 0)
        (entry.status, entry.byteCount) = (found.status, found.byteCount)
        // Only a line that counts is read to its end.
        if entry.key != nil { Self.readMore(line, from: found.end, to: end, into: &entry) }
        if entry.isProfiled { Self.readClient(line, before: found.dateStart - 1, host: host, into: &entry) }
        requests.append(entry, to: &batch)
        return nil
    }

    private static func readClient(_ line: Span<UInt8>, before end: Int, host: Range<Int>?, into entry: inout LogLine) {
        var start = 0
        if let host {
            if entry.host.isEmpty { line.append(host, to: &entry.host) }
            start = host.upperBound + 1
        }
        let word = start..<wordEnd(line, from: start, to: end)
        if !line.equals(word, "-") { entry.client = line.hash(word) }
    }

    /// The host that Apache's `vhost_combined` puts in front of the client: the first of four words of which the second is an address. A user's name
    /// with spaces makes them more.
    private static func host(_ line: Span<UInt8>, before end: Int) -> Range<Int>? {
        let firstEnd = wordEnd(line, from: 0, to: end)
        var words = 0
        var index = 0
        while index < end, words < 5 {
            index = wordEnd(line, from: index, to: end) + 1
            words += 1
        }
        guard words >= 4, firstEnd + 1 < end else { return nil }
        let secondEnd = wordEnd(line, from: firstEnd + 1, to: end)
        guard line.isDigit(firstEnd + 1, before: end) || line.firstIndex(of: UInt8(ascii: ":"), from: firstEnd + 1, to: secondEnd) != nil else {
            return nil
        }
        return 0..<firstEnd
    }

    /// Reads the texts behind the bytes: the first two texts in quotation marks are the client's, behind them the
    /// server speaks.
    private static func readMore(_ line: Span<UInt8>, from start: Int, to end: Int, into entry: inout LogLine) {
        var index = line.skippingBlanks(from: start, to: end)
        var quotedCount = 0
        while index < end {
            let isQuoted = line[index] == UInt8(ascii: "\"")
            var word = index..<end
            if isQuoted {
                word = index + 1..<(closingQuote(line, from: index + 1, to: end) ?? end)
                quotedCount += 1
            } else {
                word = index..<wordEnd(line, from: index, to: end)
            }
            index = line.skippingBlanks(from: min(end, word.upperBound + 1), to: end)
            if isQuoted, quotedCount <= 2 {
                if quotedCount == 2, entry.isProfiled, !line.equals(word, "-") { entry.agent = line.hash(word) }
                continue
            }
            word = value(line, word)
            if entry.outcome == nil, let outcome = CacheWord(line, word) {
                entry.outcome = outcome
            } else if entry.duration == nil, !isQuoted, line.firstIndex(of: UInt8(ascii: "."), from: word.lowerBound, to: word.upperBound) != nil {
                entry.duration = line.fraction(word, decimals: 6)
            }
        }
    }

    /// The value of a word such as `rt=0.005` or `cs="HIT"`.
    private static func value(_ line: Span<UInt8>, _ word: Range<Int>) -> Range<Int> {
        guard let equals = line.firstIndex(of: UInt8(ascii: "="), from: word.lowerBound, to: word.upperBound) else { return word }
        return line.trimmed(equals + 1..<word.upperBound)
    }
}
