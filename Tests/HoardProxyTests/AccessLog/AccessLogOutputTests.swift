// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardProxy

@Suite("AccessLogOutput")
struct AccessLogOutputTests {
    private let full = AccessLogFailure(code: 28)

    private func lines(_ numbers: ClosedRange<Int>) -> [UInt8] { Array(numbers.map { "line \($0)\n" }.joined().utf8) }

    @Test func linesAreWrittenWholeHoweverSmallTheSystemsPiecesAre() throws {
        let sink = LimitedSink()
        var output = try AccessLogOutput(sink.opener)
        let notice = output.write(lines(1...20), count: 20)
        #expect(notice == nil)
        #expect(sink.text.utf8.elementsEqual(lines(1...20)))
        #expect(output.counts == .init(written: 20, dropped: 0, lost: 0))
    }

    @Test func aFullDiskLosesLinesIsToldOnceAndTriedAgain() throws {
        // Two lines and a half have room.
        let sink = LimitedSink(room: 17)
        var output = try AccessLogOutput(sink.opener)
        let first = output.write(lines(1...4), count: 4)
        #expect(first == .fails(full))
        #expect(output.counts == .init(written: 2, dropped: 0, lost: 2))
        // Still full: it is opened again, and fails again, and gives no second message.
        let prepared = output.prepare()
        let second = output.write(lines(5...6), count: 2)
        #expect(prepared == nil && second == nil)
        #expect(sink.openings == 2)
        #expect(output.counts == .init(written: 2, dropped: 0, lost: 4))
        #expect(output.missingLines == 4)
        sink.setRoom(.max)
        let third = output.prepare()
        let fourth = output.write(lines(7...7), count: 1)
        #expect(third == nil)
        #expect(fourth == .worksAgain(lost: 4))
        // The log ends the piece of the third line before it writes anything else.
        #expect(sink.text == "line 1\nline 2\nlin\nline 7\n")
        #expect(output.counts == .init(written: 3, dropped: 0, lost: 4))
        let fifth = output.write(lines(8...8), count: 1)
        #expect(fifth == nil)
    }

    @Test func aNewFileHasNoUnfinishedLineToEnd() throws {
        let (old, new) = (LimitedSink(room: 10), LimitedSink())
        var output = try AccessLogOutput(old.opener)
        _ = output.write(lines(1...2), count: 2)
        #expect(old.text == "line 1\nlin")
        output.replace(with: new, opener: new.opener)
        _ = output.write(lines(3...3), count: 1)
        _ = output.write(lines(4...4), count: 1)
        #expect(new.text == "line 3\nline 4\n")
    }

    @Test func whatIsMissingIsToldInTheLogOnceItCanBe() throws {
        let sink = LimitedSink(room: 0)
        var output = try AccessLogOutput(sink.opener)
        let lost = output.write(lines(1...3), count: 3)
        #expect(lost == .fails(full))
        output.drop(2)
        _ = output.prepare()
        let failed = output.writeMissing(Array("5 missing\n".utf8))
        #expect(failed == nil)
        #expect(output.missingLines == 5)
        #expect(output.counts == .init(written: 0, dropped: 2, lost: 3))
        sink.setRoom(.max)
        _ = output.prepare()
        let told = output.writeMissing(Array("5 missing\n".utf8))
        #expect(told == .worksAgain(lost: 3))
        #expect(output.missingLines == 0)
        #expect(sink.text == "5 missing\n")
        #expect(output.counts == .init(written: 0, dropped: 2, lost: 3))
    }

    @Test func aDeletedFileIsOpenedAnewAndFailureToDoSoIsToldOnce() throws {
        let sink = LimitedSink()
        var output = try AccessLogOutput(sink.opener)
        sink.setDeleted(true)
        sink.setOpenFailure(AccessLogFailure(code: 2))
        var notices: [AccessLogOutput.Notice?] = []
        for number in 1...3 {
            notices.append(output.prepare())
            notices.append(output.write(lines(number...number), count: 1))
        }
        #expect(notices == [.fails(AccessLogFailure(code: 2)), nil, nil, nil, nil, nil])
        sink.setOpenFailure(nil)
        sink.setDeleted(false)
        let prepared = output.prepare()
        let written = output.write(lines(4...4), count: 1)
        #expect(prepared == nil && written == .worksAgain(lost: 3))
        #expect(sink.text == "line 4\n")
    }

    @Test func linesGoToAnotherSinkFromItsComingOn() throws {
        let (old, new) = (LimitedSink(), LimitedSink())
        var output = try AccessLogOutput(old.opener)
        _ = output.write(lines(1...1), count: 1)
        output.replace(with: new, opener: new.opener)
        _ = output.write(lines(2...2), count: 1)
        #expect(new.text == "line 2\n")
        #expect(old.text == "line 1\n")
        new.setDeleted(true)
        _ = output.prepare()
        #expect((old.openings, new.openings) == (1, 1), "what is opened anew is the new one")
    }

    @Test func whatIsClosedStaysClosed() throws {
        let (old, new) = (LimitedSink(), LimitedSink())
        var output = try AccessLogOutput(old.opener)
        output.close()
        let notice = output.prepare()
        #expect(notice == nil && !output.isOpen)
        output.replace(with: new, opener: new.opener)
        _ = output.prepare()
        _ = output.write(lines(1...1), count: 1)
        #expect(!output.isOpen && old.text.isEmpty && new.text.isEmpty)
        #expect((old.openings, new.openings) == (1, 0))
    }

    @Test func whatCannotBeOpenedIsAnErrorAtFirst() {
        let sink = LimitedSink()
        sink.setOpenFailure(full)
        #expect(throws: full) { try AccessLogOutput(sink.opener) }
    }
}
