// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A line of an access log, as far as it counts.
struct LogLine {
    /// The method as far as caches care.
    enum Method { case get, head, other }

    var method = Method.other
    /// The hash of the host and the target; `nil` without a target.
    var key: UInt64?
    /// The hash of the first part of the path.
    var group: UInt32?
    var status: UInt64?
    /// The bytes of the body that was sent.
    var byteCount: UInt64?
    /// Milliseconds since 1970.
    var time: UInt64?
    /// Microseconds that the answer took.
    var duration: UInt64?
    var wasHit: Bool?
}

/// Makes requests of an access log's lines. ``AccessTraceFormat/accessLog`` says how.
struct LogRequests {
    private var clock = TraceClock()
    /// The last known sizes, for answers that tell none.
    private var sizes = RecentValues<Int>(slotLimit: 1 << 18)
    private(set) var skippedCount = 0

    /// Appends the request of a line, or counts it as skipped.
    mutating func append(_ line: LogLine, to requests: inout [AccessRequest]) {
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
                cost: line.wasHit == true ? nil : line.duration.map { UInt32(clamping: min($0, UInt64(UInt32.max) - 1)) },
                group: line.group,
                wasHit: line.wasHit
            )
        )
    }

    /// Counts a line that is no request at all.
    mutating func skip() {
        skippedCount += 1
    }

    /// Whether a cache may store an answer of this status without being told so, or has stored what it stands for.
    private static func isStored(_ status: UInt64) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 304, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}

extension LogLine {
    mutating func setMethod(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        method = bytes.equals(range, "GET") ? .get : bytes.equals(range, "HEAD") ? .head : .other
    }

    /// Sets the key and the group. A target of the absolute form has a host of its own, which counts instead.
    ///
    /// - Parameter hostHash: The hash of the host, or 0.
    mutating func setTarget(_ bytes: Span<UInt8>, _ range: Range<Int>, hostHash: UInt64) {
        guard !range.isEmpty else { return }
        var (path, seed) = (range, hostHash)
        if bytes[range.lowerBound] != UInt8(ascii: "/") {
            let schemeEnd = bytes.starts(range, with: "http://") ? 7 : bytes.starts(range, with: "https://") ? 8 : 0
            if schemeEnd > 0 {
                let hostStart = range.lowerBound + schemeEnd
                let hostEnd = bytes.firstIndex(of: UInt8(ascii: "/"), from: hostStart, to: range.upperBound) ?? range.upperBound
                seed = bytes.hash(hostStart..<hostEnd)
                path = hostEnd..<range.upperBound
            }
        }
        key = bytes.hash(path, seed: seed)
        let start = min(path.upperBound, path.lowerBound + 1)
        var end = start
        while end < path.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
        group = UInt32(truncatingIfNeeded: bytes.hash(start..<end) >> 33)
    }

    /// Reads a request line, such as `GET /a HTTP/1.1`. Anything else leaves the line without a target.
    mutating func setRequest(_ bytes: Span<UInt8>, _ range: Range<Int>, hostHash: UInt64) {
        guard let methodEnd = bytes.firstIndex(of: 0x20, from: range.lowerBound, to: range.upperBound) else { return }
        setMethod(bytes, range.lowerBound..<methodEnd)
        guard method != .other else { return }
        // The version is missing in HTTP/0.9; the target may contain spaces if the client did not mind.
        var end = range.upperBound
        while end > methodEnd + 1, bytes[end - 1] != 0x20 { end -= 1 }
        if end > methodEnd + 1, bytes.starts(end..<range.upperBound, with: "HTTP/") { end -= 1 } else { end = range.upperBound }
        setTarget(bytes, methodEnd + 1..<end, hostHash: hostHash)
    }
}
