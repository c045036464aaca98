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
    /// Whether the cache had the answer; `nil` if the line does not say.
    var outcome: CacheWord?

    // MARK: Only with a reading

    /// Looks closer at the line; `nil` if the log is only replayed.
    let reading: LogReading?
    /// For how many milliseconds a rule lets the object be used.
    var lifetime: UInt64?
    /// Whether a rule says that the object is not kept.
    var isBypassed = false
    /// For a profile: the target of the request.
    var host: [UInt8] = []
    var path: [UInt8] = []
    var query: [UInt8] = []
    /// For a profile: hashes of the client's address and of its `User-Agent`.
    var client: UInt64?
    var agent: UInt64?

    init(reading: LogReading? = nil) {
        self.reading = reading
    }

    /// Whether a profile wants to know of the line.
    var isProfiled: Bool { reading?.profile != nil }
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
                if isProfiled {
                    host.removeAll()
                    bytes.append(hostStart..<hostEnd, to: &host)
                }
                path = hostEnd..<range.upperBound
            }
        }
        key = bytes.hash(path, seed: seed)
        reading?.read(bytes, path, seed: seed, into: &self)
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
