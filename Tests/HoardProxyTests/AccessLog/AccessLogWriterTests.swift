// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardProxy

@Suite("AccessLogWriter")
struct AccessLogWriterTests {
    private func batch(_ requests: [(path: String, time: Double)], dropped: Int = 0) -> AccessLogBatch {
        var batch = AccessLogBatch()
        for request in requests {
            let report = get(request.path)
            var record = AccessLogRecord(report, time: request.time)
            record.copyTexts(of: report, to: &batch.bytes)
            batch.records.append(record)
        }
        batch.droppedCount = dropped
        return batch
    }

    private func targets(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return words.count > 6 && words[5] == "\"GET" ? String(words[6]) : "?"
        }
    }

    @Test func linesOfSeveralBatchesAreWrittenInTheOrderOfTime() throws {
        let sink = LimitedSink()
        var writer = AccessLogWriter(output: try AccessLogOutput(sink.opener), formatter: AccessLogFormatter(.combined))
        writer.taken = [batch([("/a", 1), ("/c", 3)]), batch([]), batch([("/b", 2), ("/d", 4)])]
        let notices = writer.writeTaken(time: 5)
        #expect(notices.isEmpty)
        #expect(targets(sink.text) == ["/a", "/b", "/c", "/d"])
    }

    @Test func whatWasDroppedStandsBehindWhatWasNot() throws {
        let sink = LimitedSink()
        var writer = AccessLogWriter(output: try AccessLogOutput(sink.opener), formatter: AccessLogFormatter(.combined))
        writer.taken = [batch([("/a", 1)], dropped: 3), batch([("/b", 2)], dropped: 4)]
        _ = writer.writeTaken(time: 5)
        #expect(targets(sink.text) == ["/a", "/b", "?"])
        #expect(sink.text.contains("hoard: 7 lines are missing here"))
        #expect(writer.output.counts == .init(written: 2, dropped: 7, lost: 0))
    }

    @Test func nothingIsDoneIfThereIsNothing() throws {
        let sink = LimitedSink()
        var writer = AccessLogWriter(output: try AccessLogOutput(sink.opener), formatter: AccessLogFormatter(.combined))
        sink.setDeleted(true)
        writer.taken = [batch([]), batch([])]
        let notices = writer.writeTaken(time: 5)
        #expect(notices.isEmpty)
        #expect(sink.openings == 1)
        #expect(sink.text.isEmpty)
    }

    @Test func manyLinesAreWrittenInPieces() throws {
        let sink = LimitedSink()
        var writer = AccessLogWriter(output: try AccessLogOutput(sink.opener), formatter: AccessLogFormatter(.json))
        let long = "/" + String(repeating: "x", count: 4_000)
        writer.taken = [batch((0..<150).map { (long, Double($0)) })]
        _ = writer.writeTaken(time: 5)
        #expect(sink.text.utf8.count > 2 * 1 << 18)
        #expect(sink.text.utf8.count { $0 == 0x0A } == 150)
        #expect(writer.output.counts.written == 150)
    }

    @Test func aLossIsToldBeforeTheNextLines() throws {
        let sink = LimitedSink(room: 0)
        var writer = AccessLogWriter(output: try AccessLogOutput(sink.opener), formatter: AccessLogFormatter(.combined))
        writer.taken = [batch([("/lost", 1), ("/lost", 2)])]
        let first = writer.writeTaken(time: 3)
        #expect(first == [.fails(AccessLogFailure(code: 28))])
        sink.setRoom(.max)
        writer.taken = [batch([("/next", 4)])]
        let second = writer.writeTaken(time: 5)
        #expect(second == [.worksAgain(lost: 2)])
        #expect(targets(sink.text) == ["?", "/next"])
        #expect(sink.text.contains("hoard: 2 lines are missing here"))
    }
}
