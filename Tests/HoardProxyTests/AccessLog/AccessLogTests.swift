// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import Logging
import Synchronization
import Testing

@testable import HoardProxy

@Suite("AccessLog", .timeLimit(.minutes(1)))
struct AccessLogTests {
    private let time = ManualTicker()
    private let messages = KeptMessages()

    private func open(_ path: String, _ format: AccessLog.Settings.Format = .combined) throws -> AccessLog {
        var settings = AccessLog.Settings(path: path)
        settings.format = format
        return try AccessLog(settings, logger: messages.logger, ticker: time, wallClock: time)
    }

    @Test func linesAppearATenthOfASecondLater() async throws {
        let directory = try LogDirectory()
        let log = try open(directory.log)
        log.record(get("/a"))
        log.record(get("/b"))
        await time.sleepers(1)
        #expect(try directory.lines() == [])
        time.advance(by: .milliseconds(100))
        // The writer has been sent; behind it in the queue of its thread is an empty visit.
        while log.counts.written < 2 { await log.flush() }
        #expect(try directory.lines().map { $0.contains("/a") } == [true, false])
        await log.close()
        #expect(messages.all == [])
    }

    @Test func closingWritesWhatWaitsAndLaterRequestsAreIgnored() async throws {
        let directory = try LogDirectory()
        let log = try open(directory.log, .json)
        for number in 0..<1_000 { log.record(get("/\(number)")) }
        await log.close()
        let lines = try directory.lines()
        #expect(lines.count == 1_000)
        #expect(lines.enumerated().allSatisfy { $1.contains("\"/\($0)\"") })
        log.record(get("/late"))
        await log.flush()
        #expect(try directory.lines().count == 1_000)
        #expect(log.counts == .init(written: 1_000, dropped: 0, lost: 0))
    }

    @Test func aRecordThatIsLateForTheEndDoesNotOpenTheLogAgain() async throws {
        let sink = LimitedSink()
        let released = Signal()
        try await closeWhileRecording(to: sink, released: released)
        // No code holds on to the log any more, its last visit included.
        await released.wait()
        #expect(sink.openings == 1)
        #expect(sink.text.isEmpty)
    }

    /// Closes a log while a thread is between its look whether the log is open and the leaving of its record.
    private func closeWhileRecording(to sink: LimitedSink, released: Signal) async throws {
        let clock = HesitantClock(released: released)
        let log = try AccessLog(
            AccessLog.Settings(path: ""),
            limits: .init(),
            logger: messages.logger,
            ticker: time,
            wallClock: clock,
            open: sink.opener
        )
        clock.hesitate()
        Thread.detachNewThread { log.record(get("/late")) }
        await clock.asked.wait()
        await log.close()
        clock.goOn()
        await time.sleepers(1)
        time.advance(by: .milliseconds(100))
    }

    @Test func closingWritesWhatWaitsInACancelledTaskToo() async throws {
        let directory = try LogDirectory()
        let log = try open(directory.log)
        log.record(get("/last"))
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await log.close()
        }.value
        #expect(try directory.lines().count == 1)
    }

    @Test func whatIsPreparedIsNotUsedBefore() async throws {
        let directory = try LogDirectory()
        let log = try open(directory.log)
        var settings = AccessLog.Settings(path: directory.path + "/other.log")
        settings.format = .json
        let replacement = try log.prepare(settings)
        log.record(get("/old"))
        await log.flush()
        #expect(try directory.lines().count == 1)
        log.record(get("/old/2"))
        await log.replace(with: replacement)
        log.record(get("/new"))
        await log.close()
        #expect(try directory.lines().count == 2)
        #expect(try directory.lines("other.log").map { $0.hasPrefix("{") } == [true])
    }

    @Test func linesOfSeveralThreadsStandInTheOrderOfTime() async throws {
        let directory = try LogDirectory()
        let log = try open(directory.log, .json)
        for step in 0..<50 {
            // Each call runs on whichever thread is free.
            await Task.detached { log.record(get("/\(step)")) }.value
            time.advance(by: .milliseconds(1))
        }
        await log.close()
        let lines = try directory.lines()
        #expect(lines.enumerated().allSatisfy { $1.contains("\"/\($0)\"") })
    }

    @Test func onlyTheOwnerMayReadTheFile() async throws {
        let directory = try LogDirectory()
        let log = try open(directory.log)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.log)
        #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o777 } == 0o600)
        await log.close()
    }

    @Test func whatWasThereIsAppendedTo() async throws {
        let directory = try LogDirectory()
        for path in ["/first", "/second"] {
            let log = try open(directory.log)
            log.record(get(path))
            await log.close()
        }
        #expect(try directory.lines().map { $0.contains("/first") } == [true, false])
    }

    @Test func afterRotationANewFileIsBegun() async throws {
        let directory = try LogDirectory()
        let log = try open(directory.log)
        log.record(get("/before"))
        await log.flush()
        try FileManager.default.moveItem(atPath: directory.log, toPath: directory.path + "/access.log.1")
        log.record(get("/between"))
        try await log.reopen()
        log.record(get("/after"))
        await log.close()
        #expect(try directory.lines("access.log.1").count == 2)
        #expect(try directory.lines().map { $0.contains("/after") } == [true])
        #expect(messages.all == [])
    }

    @Test func reopeningCanChangeFileAndFormat() async throws {
        let directory = try LogDirectory()
        let log = try open(directory.log)
        var settings = AccessLog.Settings(path: directory.path + "/missing/other.log")
        settings.format = .json
        await #expect(throws: ProxyError.self) { try await log.reopen(settings) }
        log.record(get("/old"))
        settings.path = directory.path + "/other.log"
        try await log.reopen(settings)
        log.record(get("/new"))
        await log.close()
        #expect(try directory.lines().map { $0.contains("GET /old HTTP/1.1") } == [true])
        #expect(try directory.lines("other.log").map { $0.hasPrefix("{") } == [true])
    }

    @Test func whatCannotBeOpenedIsAnErrorThatNamesTheReason() throws {
        let directory = try LogDirectory()
        let error = #expect(throws: ProxyError.self) { try open(directory.path + "/missing/access.log") }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message == "The access log cannot be opened: No such file or directory.")
        #expect(throws: ProxyError.self) { try open(directory.path) }
    }

    @Test func aRemovedDirectoryLosesLinesUntilItIsBack() async throws {
        let directory = try LogDirectory()
        let path = directory.path + "/logs"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let log = try open(path + "/access.log")
        log.record(get("/1"))
        await log.flush()
        try FileManager.default.removeItem(atPath: path)
        for round in 0..<3 {
            log.record(get("/lost/\(round)"))
            await log.flush()
        }
        #expect(log.counts == .init(written: 1, dropped: 0, lost: 3))
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        log.record(get("/2"))
        await log.close()
        let lines = try directory.lines("logs/access.log")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("hoard: 3 lines are missing here") == true)
        #expect(lines.last?.contains("/2") == true)
        #expect(
            messages.all == [
                "error: The access log cannot be written; its lines are lost until it can. reason=No such file or directory",
                "notice: The access log is written again. lost-lines=3",
            ]
        )
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full")) func aFullDiskIsSurvived() async throws {
        let directory = try LogDirectory()
        try FileManager.default.createSymbolicLink(atPath: directory.log, withDestinationPath: "/dev/full")
        let log = try open(directory.log)
        for _ in 0..<3 {
            log.record(get("/lost"))
            await log.flush()
        }
        try FileManager.default.removeItem(atPath: directory.log)
        log.record(get("/found"))
        await log.close()
        #expect(try directory.lines().map { $0.contains("/found") } == [false, true])
        #expect(log.counts == .init(written: 1, dropped: 0, lost: 3))
        #expect(messages.all.count == 2)
        #expect(messages.all.first?.hasSuffix("reason=No space left on device") == true)
    }

    @Test func requestsThatComeTooFastAreCountedInTheLog() async throws {
        let sink = LimitedSink()
        let settings = AccessLog.Settings(path: "unused")
        let log = try AccessLog(
            settings,
            limits: .init(recordCount: 1, byteCount: 1_000),
            logger: messages.logger,
            ticker: time,
            wallClock: time,
            open: sink.opener
        )
        for number in 0..<5 { log.record(get("/\(number)")) }
        await log.flush()
        let lines = sink.text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("/0") == true)
        #expect(lines.last?.contains("hoard: 4 lines are missing here") == true)
        #expect(log.counts == .init(written: 1, dropped: 4, lost: 0))
        await log.close()
    }

    @Test func aPipeIsWrittenAndAStuckOneHoldsNobodyUp() async throws {
        let directory = try LogDirectory()
        #expect(mkfifo(directory.log, 0o600) == 0)
        // No process reads the pipe: opening it fails instead of waiting.
        #expect(throws: ProxyError.self) { try open(directory.log) }
        let reader = Foundation.open(directory.log, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let path = directory.log
        let log = try AccessLog(
            AccessLog.Settings(path: path),
            limits: .init(),
            logger: messages.logger,
            ticker: time,
            wallClock: time,
            open: { () throws(AccessLogFailure) in try AccessLogFile(path: path, patience: 0) }
        )
        log.record(get("/piped"))
        await log.flush()
        var buffer = Array(repeating: UInt8(0), count: 1 << 16)
        let count = read(reader, &buffer, buffer.count)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).contains("GET /piped HTTP/1.1"))
        // More than a pipe holds.
        for _ in 0..<300 { log.record(get("/" + String(repeating: "x", count: 4_000))) }
        await log.flush()
        #expect(log.counts.lost > 0)
        #expect(messages.all.count == 1)
        await log.close()
    }
}

/// A clock that holds its next caller until it is told to go on, and says when no code uses it any more.
private final class HesitantClock: WallClock {
    let asked = Signal()
    private let released: Signal
    private let door = DispatchSemaphore(value: 0)
    private let isHesitant = Mutex(false)

    init(released: Signal) { self.released = released }

    deinit { released.fire() }

    func hesitate() { isHesitant.withLock { $0 = true } }

    func goOn() { door.signal() }

    func now() -> Date {
        let mustWait = isHesitant.withLock { isHesitant in
            defer { isHesitant = false }
            return isHesitant
        }
        if mustWait {
            asked.fire()
            door.wait()
        }
        return Date(timeIntervalSince1970: 1_700_000_000)
    }
}
