// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Makes lines of the records that event loops have left, and hands them to the output.
struct AccessLogWriter: Sendable {
    /// Lines are written in pieces of about this size.
    private static let pieceByteCount = 1 << 18

    var output: AccessLogOutput
    var formatter: AccessLogFormatter
    /// The batches taken from the ring.
    var taken: [AccessLogBatch] = []
    private var lines: [UInt8] = []

    init(output: AccessLogOutput, formatter: AccessLogFormatter) {
        self.output = output
        self.formatter = formatter
    }

    /// Writes the batches, line by line in the order of time.
    mutating func writeTaken(time: Double) -> [AccessLogOutput.Notice] {
        guard taken.contains(where: { !$0.isEmpty }) else { return [] }
        var notices: [AccessLogOutput.Notice] = []
        if let notice = output.prepare() { notices.append(notice) }
        writeMissing(time: time, &notices)
        var order: [(time: Double, batch: Int, record: Int)] = []
        for (batch, content) in taken.enumerated() {
            for (record, line) in content.records.enumerated() { order.append((line.time, batch, record)) }
        }
        if taken.count(where: { !$0.records.isEmpty }) > 1 { order.sort { ($0.time, $0.batch, $0.record) < ($1.time, $1.batch, $1.record) } }
        var count = 0
        for place in order {
            formatter.write(taken[place.batch].records[place.record], of: taken[place.batch].bytes, to: &lines)
            count += 1
            if lines.count >= Self.pieceByteCount { writeLines(&count, &notices) }
        }
        writeLines(&count, &notices)
        let dropped = taken.reduce(0) { $0 + $1.droppedCount }
        if dropped > 0 {
            output.drop(dropped)
            writeMissing(time: time, &notices)
        }
        return notices
    }

    private mutating func writeLines(_ count: inout Int, _ notices: inout [AccessLogOutput.Notice]) {
        if let notice = output.write(lines, count: count) { notices.append(notice) }
        lines.removeAll(keepingCapacity: true)
        count = 0
    }

    private mutating func writeMissing(time: Double, _ notices: inout [AccessLogOutput.Notice]) {
        guard output.missingLines > 0, output.isOpen else { return }
        var line: [UInt8] = []
        formatter.writeMissing(output.missingLines, time: time, to: &line)
        if let notice = output.writeMissing(line) { notices.append(notice) }
    }
}
