// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

/// Writes lines of the access log. Text that a client may have sent is escaped, so that a line is always one line and
/// its fields are always where they belong.
struct AccessLogFormatter: Sendable {
    let format: CachingProxy.Configuration.AccessLog.Format
    private var calendar = AccessLogCalendar()

    init(_ format: CachingProxy.Configuration.AccessLog.Format) {
        self.format = format
    }

    /// Writes the line of a record, with its end.
    ///
    /// - Parameter bytes: The batch's bytes, which hold the texts.
    mutating func write(_ record: AccessLogRecord, of bytes: borrowing [UInt8], to line: inout [UInt8]) {
        switch format.base {
        case .combined: writeCombined(record, bytes, to: &line)
        case .json: writeJSON(record, bytes, to: &line)
        }
    }

    /// Writes a line that says how many are missing before it: in the form of any other line, so that a reader of the
    /// other lines can read it.
    mutating func writeMissing(_ count: Int, time: Double, to line: inout [UInt8]) {
        switch format.base {
        case .combined:
            line.append("- - - [")
            line.append(contentsOf: calendar.commonTime(time))
            line.append("] \"-\" 0 0 \"-\" \"hoard: \(count) lines are missing here\" - - 0.000000 0.000000 0\n")
        case .json:
            line.append("{\"time\":\"")
            line.append(contentsOf: calendar.isoTime(time))
            line.append("\",\"missingLines\":\(count)}\n")
        }
    }

    // MARK: Combined

    /// `address - - [time] "request" status bytes "referrer" "agent" cache tier first-byte duration received-bytes`, the times in seconds.
    private mutating func writeCombined(_ record: AccessLogRecord, _ bytes: borrowing [UInt8], to line: inout [UInt8]) {
        writeOrDash(.address, record, bytes, to: &line)
        line.append(" - - [")
        line.append(contentsOf: calendar.commonTime(record.time))
        line.append("] \"")
        if record.length(.method) == 0 {
            line.append("-")
        } else {
            writeEscaped(.method, record, bytes, to: &line)
            line.append(0x20)
            writeEscaped(.target, record, bytes, to: &line)
            line.append(" HTTP/")
            writeVersion(record, to: &line)
        }
        line.append("\" ")
        line.append(number: record.status)
        line.append(0x20)
        line.append(number: record.bytes)
        line.append(" \"")
        writeOrDash(.referrer, record, bytes, to: &line)
        line.append("\" \"")
        writeOrDash(.userAgent, record, bytes, to: &line)
        line.append("\" ")
        line.append(Self.name(record.answer?.outcome) ?? "-")
        line.append(0x20)
        line.append(Self.name(record.answer?.tier) ?? "-")
        line.append(0x20)
        line.append(seconds: record.timeToFirstByte)
        line.append(0x20)
        line.append(seconds: record.duration)
        line.append(0x20)
        line.append(number: record.receivedBytes)
        line.append(0x0A)
    }

    private func writeOrDash(_ text: AccessLogRecord.Text, _ record: AccessLogRecord, _ bytes: borrowing [UInt8], to line: inout [UInt8]) {
        if record.length(text) == 0 { line.append("-") } else { writeEscaped(text, record, bytes, to: &line) }
    }

    private func writeEscaped(_ text: AccessLogRecord.Text, _ record: AccessLogRecord, _ bytes: borrowing [UInt8], to line: inout [UInt8]) {
        for index in record.range(text) { AccessLogEscaping.appendHexEscaped(bytes[index], to: &line) }
        if record.isCut(text) { line.append("...") }
    }

    private func writeVersion(_ record: AccessLogRecord, to line: inout [UInt8]) {
        line.append(number: Int(record.majorVersion))
        line.append(UInt8(ascii: "."))
        line.append(number: Int(record.minorVersion))
    }

    // MARK: JSON

    private mutating func writeJSON(_ record: AccessLogRecord, _ bytes: borrowing [UInt8], to line: inout [UInt8]) {
        line.append("{\"time\":\"")
        line.append(contentsOf: calendar.isoTime(record.time))
        line.append("\"")
        writeMember("remoteAddress", .address, record, bytes, to: &line)
        writeMember("method", .method, record, bytes, to: &line)
        writeMember("target", .target, record, bytes, to: &line)
        writeMember("host", .host, record, bytes, to: &line)
        line.append(",\"version\":\"")
        writeVersion(record, to: &line)
        line.append(record.isSecure ? "\",\"secure\":true,\"status\":" : "\",\"secure\":false,\"status\":")
        line.append(number: record.status)
        line.append(",\"bytes\":")
        line.append(number: record.bytes)
        line.append(",\"receivedBytes\":")
        line.append(number: record.receivedBytes)
        line.append(record.isComplete ? ",\"complete\":true" : ",\"complete\":false")
        writeMember("referrer", .referrer, record, bytes, to: &line)
        writeMember("userAgent", .userAgent, record, bytes, to: &line)
        writeMember("traceID", .trace, record, bytes, to: &line)
        if let answer = record.answer {
            line.append(",\"cache\":\"")
            line.append(Self.name(answer.outcome) ?? "")
            line.append("\",\"tier\":\"")
            line.append(Self.name(answer.tier) ?? "none")
            line.append("\"")
            if let duration = answer.originDuration {
                line.append(",\"originSeconds\":")
                line.append(seconds: duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000)
            }
        }
        line.append(",\"firstByteSeconds\":")
        line.append(seconds: record.timeToFirstByte)
        line.append(",\"seconds\":")
        line.append(seconds: record.duration)
        line.append("}\n")
    }

    /// Nothing, if the text is empty.
    private func writeMember(
        _ name: StaticString,
        _ text: AccessLogRecord.Text,
        _ record: AccessLogRecord,
        _ bytes: borrowing [UInt8],
        to line: inout [UInt8]
    ) {
        guard record.length(text) > 0 else { return }
        line.append(",\"")
        line.append(name)
        line.append("\":\"")
        AccessLogEscaping.appendJSONEscaped(bytes[record.range(text)], to: &line)
        if record.isCut(text) { line.append("...") }
        line.append("\"")
    }

    // MARK: Names

    /// As in the statistics.
    private static func name(_ outcome: AnswerReport.Outcome?) -> StaticString? {
        switch outcome {
        case .hit: "hit"
        case .staleHit: "staleHit"
        case .validatedHit: "validatedHit"
        case .collapsedHit: "collapsedHit"
        case .miss: "miss"
        case .generated: "generated"
        case .failure: "failure"
        case .bypass: "bypass"
        case .abandoned: "abandoned"
        case nil: nil
        }
    }

    private static func name(_ tier: AnswerReport.Tier?) -> StaticString? {
        switch tier {
        case .memory: "memory"
        case .store: "store"
        case .origin: "origin"
        case AnswerReport.Tier.none?, nil: nil
        }
    }
}
