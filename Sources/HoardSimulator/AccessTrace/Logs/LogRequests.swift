// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Makes requests of an access log's lines. ``AccessTraceFormat/accessLog`` says how.
struct LogRequests {
    private var clock = TraceClock()
    /// The last known sizes, for answers that tell none.
    private var sizes = RecentValues<Int>(slotLimit: 1 << 18)
    private(set) var skippedCount = 0
    private let reading: LogReading?

    init(reading: LogReading?) {
        self.reading = reading
    }

    /// An empty line, to be read.
    func makeLine() -> LogLine { LogLine(reading: reading) }

    /// Appends the request of a line, or counts it as skipped.
    mutating func append(_ line: LogLine, to requests: inout [AccessRequest]) {
        reading?.profile?.add(line)
        guard let key = line.key, let status = line.status, line.method != .other, Self.isStored(status) else {
            skippedCount += 1
            return
        }
        var size = line.byteCount.flatMap { Int(exactly: $0) }
        if line.method == .head || status == 206 || status == 304 || size == nil {
            size = sizes[key]
        } else {
            sizes[key] = size
        }
        requests.append(
            AccessRequest(
                key: key,
                size: size,
                time: line.time.map { clock.elapsed($0) },
                lifetime: line.lifetime,
                cost: line.outcome?.wasHit == true ? nil : line.duration.map { UInt32(clamping: min($0, UInt64(UInt32.max) - 1)) },
                group: line.group,
                wasHit: line.outcome?.wasHit,
                kind: line.isBypassed ? .uncacheable : .read
            )
        )
    }

    /// Counts a line that is no request at all.
    mutating func skip() {
        skippedCount += 1
    }

    /// Whether a cache may store an answer of this status without being told so, or has stored the object that it
    /// stands for.
    private static func isStored(_ status: UInt64) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 304, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}
