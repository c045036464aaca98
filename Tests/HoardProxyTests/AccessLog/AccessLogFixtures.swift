// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardHTTP
import HoardNIO
import HoardTesting
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

@testable import HoardProxy

/// A directory for one test, removed with everything in it when the test is done.
final class LogDirectory: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-log-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var log: String { path + "/access.log" }

    /// The lines of a file, without their ends; the last piece too, if it has no end.
    func lines(_ name: String = "access.log") throws -> [String] {
        try String(decoding: Data(contentsOf: URL(fileURLWithPath: path + "/" + name)), as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: true
        ).map(String.init)
    }
}

/// A sink that takes so many bytes and then fails, as a disk that fills.
final class LimitedSink: AccessLogSink {
    private struct State {
        var bytes: [UInt8] = []
        var room: Int
        var isDeleted = false
        var openFailure: AccessLogFailure?
        var openings = 0
    }
    private let state: Mutex<State>

    init(room: Int = .max) {
        state = Mutex(State(room: room))
    }

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }
    var openings: Int { state.withLock { $0.openings } }
    func setRoom(_ room: Int) { state.withLock { $0.room = room } }
    func setOpenFailure(_ failure: AccessLogFailure?) { state.withLock { $0.openFailure = failure } }
    func setDeleted(_ isDeleted: Bool) { state.withLock { $0.isDeleted = isDeleted } }

    var opener: AccessLogOutput.Opener {
        { () throws(AccessLogFailure) in
            if let failure = self.state.withLock({ state in
                state.openings += 1
                return state.openFailure
            }) {
                throw failure
            }
            return self
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(AccessLogFailure) -> Int {
        let count = state.withLock { state in
            // In small pieces, as a system may.
            let count = min(bytes.count, state.room, 7)
            state.bytes += bytes.prefix(count)
            state.room -= count
            return count
        }
        guard count > 0 else { throw AccessLogFailure(code: 28) }
        return count
    }

    var isDeleted: Bool { state.withLock { $0.isDeleted } }
    var isEmpty: Bool { state.withLock { $0.bytes.isEmpty } }
}

/// A log handler that keeps its messages.
final class KeptMessages: Sendable {
    private let kept = Mutex<[String]>([])

    var all: [String] { kept.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(messages: self) }
    }

    private struct Handler: LogHandler {
        let messages: KeptMessages
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted()
            messages.kept.withLock { $0.append((["\(event.level): \(event.message)"] + details).joined(separator: " ")) }
        }
    }
}

/// The line of a report, without its end.
func line(_ report: ExchangeReport, _ format: CachingProxy.Configuration.AccessLog.Format, time: Double = 1_700_000_000.25) -> String {
    var record = AccessLogRecord(report, time: time)
    var (bytes, line): ([UInt8], [UInt8]) = ([1, 2, 3], [])
    record.copyTexts(of: report, to: &bytes)
    var formatter = AccessLogFormatter(format)
    formatter.write(record, of: bytes, to: &line)
    return String(decoding: line.dropLast(), as: UTF8.self)
}
