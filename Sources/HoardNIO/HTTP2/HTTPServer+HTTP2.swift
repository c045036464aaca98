// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP2

extension HTTPServer.Configuration {
    /// The limits that the codec keeps. It closes connections that go beyond them, with ENHANCE_YOUR_CALM where it is a question of how often.
    var http2Connection: NIOHTTP2Handler.ConnectionConfiguration {
        // As RFC 9113 §6.5.2 counts. Twice as much as is served, so that a request that is a little too large gets an answer.
        let headerListByteCount = min(2 * (maximumTargetByteCount + maximumHeaderByteCount) + 32 * (maximumHeaderFieldCount + 4), Int(Int32.max))
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: min(maximumStreamCount, Int(Int32.max))),
            HTTP2Setting(parameter: .maxHeaderListSize, value: headerListByteCount),
            HTTP2Setting(parameter: .initialWindowSize, value: Self.windowByteCount),
        ]
        // As many as a list of that length needs, and a few: CVE-2024-27919 and its like.
        connection.maximumSequentialContinuationFrames = headerListByteCount / 16_384 + 4
        connection.maximumSequentialEmptyDataFrames = 4
        connection.maximumBufferedControlFrames = 1_000
        connection.maximumRecentlyResetStreams = 2 * min(maximumStreamCount, 1_000)
        connection.maximumConnectionGlitches = 100
        connection.targetWindowSize = 16 * Self.windowByteCount
        // PING, SETTINGS, PRIORITY: CVE-2019-9512, CVE-2019-9515.
        connection.controlFrameRateLimit.maximumCount = 200
        connection.controlFrameRateLimit.windowLength = .seconds(30)
        return connection
    }

    /// The limits on streams that the codec keeps.
    var http2Stream: NIOHTTP2Handler.StreamConfiguration {
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = Self.windowByteCount
        stream.outboundBufferSizeHighWatermark = 65_536
        stream.outboundBufferSizeLowWatermark = 32_768
        // Streams that the client resets: CVE-2023-44487.
        stream.streamResetFrameRateLimit.maximumCount = max(200, 2 * min(maximumStreamCount, 1_000))
        stream.streamResetFrameRateLimit.windowLength = .seconds(30)
        // Streams that it makes the server reset: CVE-2025-8671.
        stream.streamErrorRateLimit.maximumCount = 100
        stream.streamErrorRateLimit.windowLength = .seconds(30)
        return stream
    }

    /// How much content of a stream a client may send before it is asked for more.
    private static var windowByteCount: Int { 65_535 }
}
