// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension JSONLogFormat {
    /// The field of a member's name.
    static func field(_ line: Span<UInt8>, _ name: Range<Int>) -> Field? {
        guard name.count < names.count else { return nil }
        for (text, field) in names[name.count] where line.equals(name, text) { return field }
        return nil
    }

    /// The names, by their length. The durations of nginx are texts, which may be `-`.
    private static let names: [[(StaticString, Field)]] = {
        let all: [(StaticString, Field)] = [
            ("method", .method), ("request_method", .method), ("target", .target), ("uri", .target), ("request_uri", .target), ("url", .target),
            ("host", .host), ("http_host", .host), ("request", .request), ("status", .status),
            ("size", .byteCount), ("bytes", .byteCount), ("body_bytes_sent", .byteCount), ("bytes_sent", .byteCount),
            ("time", .time), ("ts", .time), ("timestamp", .time), ("@timestamp", .time), ("time_iso8601", .time), ("time_local", .time),
            ("msec", .time),
            ("cache", .cache), ("cache_status", .cache), ("upstream_cache_status", .cache),
            ("remoteAddress", .client), ("remote_addr", .client), ("client_ip", .client), ("remote_ip", .client),
            ("userAgent", .agent), ("http_user_agent", .agent), ("user_agent", .agent),
            ("originSeconds", .originDuration), ("upstream_response_time", .originDuration), ("firstByteSeconds", .firstByteDuration),
            ("seconds", .duration), ("duration", .duration), ("request_time", .duration),
        ]
        let longest = all.map(\.0.utf8CodeUnitCount).max() ?? 0
        return (0...longest).map { length in all.filter { $0.0.utf8CodeUnitCount == length } }
    }()
}
