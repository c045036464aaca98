// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Finds out the format of an access trace from its first bytes, and from its name where they leave a choice.
enum TraceDetector {
    /// The most bytes that are looked at. The first line may be longer.
    static let byteLimit = 1 << 16

    /// Whether these first bytes are enough: they have a line that is no comment, and would hold a binary record.
    static func isEnough(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= OracleGeneralDecoder.recordByteCount else { return false }
        if RecordingDecoder.isRecording(bytes) { return true }
        return bytes.count >= byteLimit || firstLine(bytes, isComplete: true) != nil || isBinary(bytes)
    }

    /// The format.
    ///
    /// - Parameters:
    ///   - bytes: The first bytes, or all.
    ///   - path: The path of the file.
    static func format(of bytes: [UInt8], path: String) -> AccessTraceFormat {
        if RecordingDecoder.isRecording(bytes) { return .recording }
        if isBinary(bytes) { return .oracleGeneral }
        guard let range = firstLine(bytes, isComplete: false) else { return .text }
        return bytes.withSpan { format(ofLine: $0.extracting(range), path: path) }
    }

    private static func format(ofLine line: Span<UInt8>, path: String) -> AccessTraceFormat {
        if line[0] == UInt8(ascii: "{") { return .jsonLog }
        if isAccessLog(line) { return .accessLog }
        if let format = commaSeparated(line) { return format }
        return numbers(path)
    }

    /// The first line that is not blank and no comment, without blanks at its beginning. Names of columns
    /// behind a # are no comment.
    private static func firstLine(_ bytes: [UInt8], isComplete: Bool) -> Range<Int>? {
        bytes.withSpan { firstLine($0, isComplete: isComplete) }
    }

    private static func firstLine(_ span: Span<UInt8>, isComplete: Bool) -> Range<Int>? {
        var start = 0
        while start < span.count {
            let end = span.lineFeed(from: start)
            if end == nil, isComplete { return nil }
            let line = span.extracting(start..<(end ?? span.count))
            let content = line.skippingBlanks(from: 0, to: line.contentEnd)
            if content < line.contentEnd, line[content] != UInt8(ascii: "#") || commaSeparated(line) != nil {
                return start + content..<start + line.contentEnd
            }
            start = (end ?? span.count) + 1
        }
        return nil
    }

    /// Whether the bytes begin with a record that has bytes no text has, and a next use that is possible.
    private static func isBinary(_ bytes: [UInt8]) -> Bool {
        let size = OracleGeneralDecoder.recordByteCount
        guard bytes.count >= size, bytes[..<size].contains(where: { $0 < 0x09 || (0x0e...0x1f).contains($0) }) else { return false }
        let nextUse = Int64(bitPattern: bytes.withSpan { OracleGeneralDecoder.littleEndian($0, 16, byteCount: 8) })
        return nextUse >= -1
    }

    /// Whether a line has a date in brackets, as in `[22/Nov/2026:`.
    private static func isAccessLog(_ line: Span<UInt8>) -> Bool {
        var index = 0
        while let bracket = line.firstIndex(of: UInt8(ascii: "["), from: index, to: line.count) {
            index = bracket + 1
            guard bracket + 12 < line.count else { return false }
            if line.isDigit(index, before: line.count), line[bracket + 3] == UInt8(ascii: "/"), line[bracket + 7] == UInt8(ascii: "/") { return true }
        }
        return false
    }

    private static func commaSeparated(_ line: Span<UInt8>) -> AccessTraceFormat? {
        var fields = CSVFields()
        fields.split(line)
        let count = fields.count
        guard count > 1 else { return nil }
        // Other traces have a column of operations too, such as libCacheSim's sample.
        let columns = CSVColumns(line, fields, named: CacheLibFormat.Column.init(named:))
        if columns.has(.op), columns.has(.key), columns.has(.count) || columns.has(.keySize) { return .cacheLib }
        if CacheLibCDNFormat.areNames(CSVColumns(line, fields, named: CacheLibCDNFormat.Column.init(named:))) { return .cacheLibCDN }
        let names = CSVColumns(line, fields, named: LibCacheSimFormat.column)
        // Of comments, only those that name a time too are names of columns.
        let isComment = line.isBlankOrComment
        if names.has(.object), names.has(.time) || names.has(.size) && !isComment { return .libCacheSimCSV }
        if isComment { return nil }
        if count >= 7, line.number(fields[0]) != nil, TwitterFormat.isOperation(line, fields[count - 2]) { return .twitter }
        if isCacheLibOperation(line, fields[1]) || count >= 8 && isCacheLibOperation(line, fields[3]) { return .cacheLib }
        if CacheLibCDNFormat.isRequest(line, fields) { return .cacheLibCDN }
        return line.fraction(fields[0], decimals: 0) != nil && !fields[1].isEmpty ? .libCacheSimCSV : nil
    }

    private static func isCacheLibOperation(_ line: Span<UInt8>, _ range: Range<Int>) -> Bool {
        line.equals(range, "GET") || line.equals(range, "SET") || line.equals(range, "DELETE") || line.equals(range, "GET_LEASE")
            || line.equals(range, "SET_LEASE")
    }

    /// The format of a file of plain numbers.
    private static func numbers(_ path: String) -> AccessTraceFormat {
        var name = path[...]
        for suffix in [".gz", ".zst"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
        if name.hasSuffix(".arc") || name.hasSuffix(".lis") { return .arc }
        return name.hasSuffix(".lirs") || name.hasSuffix(".trc") ? .lirs : .text
    }
}
