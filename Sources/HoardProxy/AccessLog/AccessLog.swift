// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard
package import HoardNIO
package import Logging
internal import NIOPosix
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Writes a line for each exchange to a file or to standard output.
///
/// Event loops only copy the data of a line into a ring of bounded size; a thread of its own formats and writes, many
/// lines at a time, a tenth of a second later. If it cannot keep up, requests go unlogged instead of waiting, and the
/// log says how many. A full disk or a removed directory loses lines, is told once, and is tried again until it works.
package final class AccessLog: Sendable {
    package typealias Settings = CachingProxy.Configuration.AccessLog

    /// The longest time for which the first of some lines may wait for others.
    static let delay: Int64 = 100_000_000

    private let ring: AccessLogRing
    /// Held while files are written, by the writer's thread alone; nothing else waits for it but a caller of ``counts``.
    private let writer: Mutex<AccessLogWriter>
    private let knownCounts = Mutex(ProxyStatistics.Snapshot.AccessLogCounts(written: 0, dropped: 0, lost: 0))
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let isScheduled = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)
    private let ticker: any Ticker
    private let wallClock: any WallClock
    private let logger: Logger

    /// Opens the log.
    ///
    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if it cannot be opened.
    package convenience init(
        _ settings: Settings,
        logger: Logger,
        ticker: any Ticker = MonotonicTicker(),
        wallClock: any WallClock = SystemWallClock()
    ) throws(ProxyError) {
        try self.init(settings, limits: AccessLogRing.Limits(), logger: logger, ticker: ticker, wallClock: wallClock, open: Self.opener(settings))
    }

    init(
        _ settings: Settings,
        limits: AccessLogRing.Limits,
        logger: Logger,
        ticker: any Ticker,
        wallClock: any WallClock,
        open: @escaping AccessLogOutput.Opener
    ) throws(ProxyError) {
        do {
            writer = Mutex(AccessLogWriter(output: try AccessLogOutput(open), formatter: AccessLogFormatter(settings.format)))
        } catch {
            throw Self.cannotOpen(error)
        }
        ring = AccessLogRing(limits: limits)
        self.ticker = ticker
        self.wallClock = wallClock
        self.logger = logger
        thread.start()
    }

    deinit {
        // Does nothing if the log was closed.
        thread.shutdownGracefully { _ in }
    }

    private static func opener(_ settings: Settings) -> AccessLogOutput.Opener {
        { () throws(AccessLogFailure) in try AccessLogFile(path: settings.path) }
    }

    private static func cannotOpen(_ failure: AccessLogFailure) -> ProxyError {
        ProxyError(.invalidConfiguration, "The access log cannot be opened: \(failure).", underlyingError: failure)
    }

    /// Has a line written for an exchange. Never blocks. O(*n*) in the bytes of the request's head.
    package func record(_ report: ExchangeReport) {
        guard !isClosed.load(ordering: .relaxed) else { return }
        switch ring.append(report, time: wallClock.now().timeIntervalSince1970) {
        case .none: break
        case .soon: schedule()
        case .now: thread.submit(writeIfActive)
        }
    }

    /// Lines that were written, that there was no room for, and that could not be written.
    package var counts: ProxyStatistics.Snapshot.AccessLogCounts { knownCounts.withLock { $0 } }

    /// Writes everything that was recorded before this call.
    package func flush() async {
        await onThread { self.writeAll() }
    }

    /// A file that is open, to be written in place of the present one.
    struct Replacement: Sendable {
        fileprivate let sink: any AccessLogSink
        fileprivate let opener: AccessLogOutput.Opener?
        fileprivate let formatter: AccessLogFormatter?
    }

    /// Opens the path anew, or another one. Records go on to the present file until ``replace(with:)``.
    ///
    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if it cannot be opened.
    func prepare(_ settings: Settings? = nil) throws(ProxyError) -> Replacement {
        let opener = settings.map(Self.opener)
        do throws(AccessLogFailure) {
            let sink = try (opener ?? writer.withLock { $0.output.opener })()
            return Replacement(sink: sink, opener: opener, formatter: settings.map { AccessLogFormatter($0.format) })
        } catch {
            throw Self.cannotOpen(error)
        }
    }

    /// Writes the waiting records to the old file, and later ones to another file. Does nothing if the log is closed.
    func replace(with replacement: Replacement) async {
        await onThread {
            self.writeAll()
            self.writer.withLock { writer in
                writer.output.replace(with: replacement.sink, opener: replacement.opener)
                if let formatter = replacement.formatter { writer.formatter = formatter }
            }
        }
    }

    /// Writes the waiting records to the old file, and opens the path anew, or another one: after the file was renamed,
    /// or with new settings.
    ///
    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if it cannot be opened. Then the old file stays in use.
    package func reopen(_ settings: Settings? = nil) async throws(ProxyError) {
        await replace(with: try prepare(settings))
    }

    /// Writes the waiting records, and closes the log. Later records are ignored.
    package func close() async {
        isClosed.store(true, ordering: .relaxed)
        await flush()
        try? await thread.shutdownGracefully()
        writer.withLock { $0.output.close() }
    }

    private func schedule() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let deadline = ticker.nanoseconds() + Self.delay
        startTask(priority: .utility) {
            try? await self.ticker.sleep(until: deadline)
            self.thread.submit(self.writeIfActive)
        }
    }

    /// Runs something on the writer's thread, behind its present work, and waits for it; not if the log is closed.
    private func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            thread.submit { state in
                if case .active = state { body() }
                continuation.resume()
            }
        }
    }

    // MARK: On the writer's thread

    /// When the log is closed, the thread hands back the work that it has not done, on any thread.
    @Sendable private func writeIfActive(_ state: NIOThreadPool.WorkItemState) {
        guard case .active = state else { return }
        writeAll()
    }

    private func writeAll() {
        // First, so that records from now on are either taken below or have their own visit.
        isScheduled.store(false, ordering: .sequentiallyConsistent)
        let time = wallClock.now().timeIntervalSince1970
        let (notices, counts) = writer.withLock { writer in
            ring.take(into: &writer.taken)
            let notices = writer.writeTaken(time: time)
            return (notices, writer.output.counts)
        }
        knownCounts.withLock { $0 = counts }
        for notice in notices { tell(notice) }
    }

    private func tell(_ notice: AccessLogOutput.Notice) {
        switch notice {
        case .fails(let failure):
            logger.error("The access log cannot be written; its lines are lost until it can.", metadata: ["reason": "\(failure)"])
        case .worksAgain(let lost):
            logger.notice("The access log is written again.", metadata: ["lost-lines": "\(lost)"])
        }
    }
}
