// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Finds the requests in a line of an access trace.
protocol TraceLineFormat {
    /// The number of skipped lines that fit the format, but are no request to simulate.
    var skippedCount: Int { get }

    /// Appends the request of a line, or returns the requests that it stands for.
    ///
    /// - Parameter line: Without its line feed; at its end may be a carriage return.
    mutating func parse(_ line: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> TraceRun?
}

/// Cuts an access trace into lines, which end with a line feed, and has a format read them.
struct LineDecoder<Format: TraceLineFormat>: TraceDecoder {
    private(set) var format: Format
    /// The beginning of a line that goes on in the next bytes.
    private var beginning: [UInt8] = []
    private var line = 1
    private var run: TraceRun?

    /// A longer line is an error, so that a file without line feeds does not fill the memory.
    static var byteLimit: Int { 1 << 20 }

    init(_ format: Format) {
        self.format = format
    }

    var place: TracePlace { .line(line) }
    var skippedCount: Int { format.skippedCount }
    var hasMore: Bool { run != nil }

    mutating func decode(_ bytes: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> Int {
        var start = 0
        continueRun(into: &requests)
        while start < bytes.count, run == nil, requests.count < TraceBatch.requestCount {
            guard let end = bytes.lineFeed(from: start) else {
                try keep(bytes.extracting(start..<bytes.count))
                return bytes.count
            }
            if beginning.isEmpty {
                guard end - start <= Self.byteLimit else { throw Self.tooLong }
                run = try checked(format.parse(bytes.extracting(start..<end), into: &requests))
            } else {
                try keep(bytes.extracting(start..<end))
                try parseBeginning(into: &requests)
            }
            line += 1
            start = end + 1
            continueRun(into: &requests)
        }
        return start
    }

    mutating func finish(into requests: inout [AccessRequest]) throws(TraceFault) {
        guard !beginning.isEmpty else { return }
        try parseBeginning(into: &requests)
        continueRun(into: &requests)
    }

    /// Has the format read the bytes that were kept, which are a line by now.
    private mutating func parseBeginning(into requests: inout [AccessRequest]) throws(TraceFault) {
        var line: [UInt8] = []
        swap(&line, &beginning)
        run = try checked(line.withSpan { (line) throws(TraceFault) in try format.parse(line, into: &requests) })
        line.removeAll(keepingCapacity: true)
        beginning = line
    }

    private mutating func keep(_ bytes: Span<UInt8>) throws(TraceFault) {
        guard beginning.count + bytes.count <= Self.byteLimit else { throw Self.tooLong }
        bytes.withUnsafeBufferPointer { beginning.append(contentsOf: $0) }
    }

    private static var tooLong: TraceFault { TraceFault("the line is longer than \(byteLimit) bytes.") }

    /// The requests that a line stands for, unless they are too many.
    private func checked(_ run: TraceRun?) throws(TraceFault) -> TraceRun? {
        guard let run, run.count > TraceRun.requestLimit else { return run }
        throw TraceFault("the line stands for \(run.count) requests, and may stand for \(TraceRun.requestLimit).")
    }

    private mutating func continueRun(into requests: inout [AccessRequest]) {
        guard var rest = run else { return }
        while rest.count > 0, requests.count < TraceBatch.requestCount {
            requests.append(rest.request)
            rest.request.key &+= rest.keyStep
            rest.count -= 1
        }
        run = rest.count > 0 ? rest : nil
    }
}
