// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Writes lines to a sink that may fail and come back. Lines that cannot be written are counted, and the log says itself how many are missing where.
struct AccessLogOutput: Sendable {
    /// A notice for the operator. Each is given once, however many lines are concerned.
    enum Notice: Sendable, Hashable {
        /// The system's reason.
        case fails(AccessLogFailure)
        /// The number of lines that were lost meanwhile.
        case worksAgain(lost: Int)
    }

    typealias Opener = @Sendable () throws(AccessLogFailure) -> any AccessLogSink

    private(set) var writtenLines = 0
    private(set) var lostLines = 0
    private(set) var droppedLines = 0
    /// The function that opens the sink.
    private(set) var opener: Opener
    /// It was closed for good, not by a failure.
    private var isClosed = false
    private var sink: (any AccessLogSink)?
    /// Lines that are missing at this place of the log, and have not been told in it.
    private(set) var missingLines = 0
    /// Lines lost since the sink failed; `nil` while it works.
    private var lostSinceFailure: Int?
    /// Whether the last thing that was written is only a part of a line.
    private var endsInsideLine = false

    /// Opens the sink.
    init(_ open: @escaping Opener) throws(AccessLogFailure) {
        opener = open
        sink = try open()
    }

    /// Counts lines that will never come.
    mutating func drop(_ count: Int) {
        droppedLines += count
        missingLines += count
    }

    /// Writes to another sink from now on, unless it is closed.
    ///
    /// - Parameter newOpener: Opens that sink anew; by default the present opener.
    mutating func replace(with newSink: any AccessLogSink, opener newOpener: Opener? = nil) {
        guard !isClosed else { return }
        sink = newSink
        if let newOpener { opener = newOpener }
    }

    var isOpen: Bool { sink != nil }

    /// Closes the sink for good.
    mutating func close() {
        isClosed = true
        sink = nil
    }

    /// Makes sure that lines would be found again: a sink that failed, or whose file has been deleted, is opened anew. Not when it is closed.
    mutating func prepare() -> Notice? {
        if isClosed { return nil }
        if let sink, !sink.isDeleted { return nil }
        do throws(AccessLogFailure) {
            sink = try opener()
            return nil
        } catch {
            sink = nil
            return failed(error)
        }
    }

    /// Writes whole lines, or loses them.
    mutating func write(_ lines: [UInt8], count: Int) -> Notice? {
        guard count > 0 else { return nil }
        guard let sink else {
            lose(count)
            return nil
        }
        // A file that has been rotated or deleted since has taken the unfinished line with it.
        if endsInsideLine, sink.isEmpty { endsInsideLine = false }
        let (written, failure) = Self.write(endsInsideLine ? [UInt8(ascii: "\n")] + lines : lines, to: sink)
        // The line feed that ends an unfinished line of before counts as no line.
        let extra = endsInsideLine && written > 0 ? 1 : 0
        if let failure {
            let whole = max(0, lines.prefix(written - extra).count { $0 == UInt8(ascii: "\n") })
            if written > 0 { endsInsideLine = written > extra && lines[written - extra - 1] != UInt8(ascii: "\n") }
            writtenLines += whole
            lose(count - whole)
            self.sink = nil
            return failed(failure, counting: count - whole)
        }
        endsInsideLine = false
        writtenLines += count
        guard let lost = lostSinceFailure else { return nil }
        lostSinceFailure = nil
        return .worksAgain(lost: lost)
    }

    /// Writes the line that tells of missing ones.
    mutating func writeMissing(_ line: [UInt8]) -> Notice? {
        let missing = missingLines
        missingLines = 0
        let notice = write(line, count: 1)
        // The line itself is no request's.
        if sink == nil {
            lostLines -= 1
            missingLines = missing
            lostSinceFailure = lostSinceFailure.map { max(0, $0 - 1) }
        } else {
            writtenLines -= 1
        }
        return notice
    }

    /// - Returns: How many bytes were written, and why not all.
    private static func write(_ bytes: [UInt8], to sink: any AccessLogSink) -> (written: Int, failure: AccessLogFailure?) {
        bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                do throws(AccessLogFailure) {
                    written += try sink.write(UnsafeRawBufferPointer(rebasing: bytes[written...]))
                } catch {
                    return (written, error)
                }
            }
            return (written, nil)
        }
    }

    private mutating func lose(_ count: Int) {
        lostLines += count
        missingLines += count
        if let lost = lostSinceFailure { lostSinceFailure = lost + count }
    }

    private mutating func failed(_ failure: AccessLogFailure, counting count: Int = 0) -> Notice? {
        guard lostSinceFailure == nil else { return nil }
        lostSinceFailure = count
        return .fails(failure)
    }
}

extension AccessLogOutput {
    var counts: ProxyStatistics.Snapshot.AccessLogCounts { .init(written: writtenLines, dropped: droppedLines, lost: lostLines) }
}
