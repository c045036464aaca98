// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardWire
internal import NIOCore
internal import NIOHTTP2

extension HTTPServer.Configuration {
    /// The limits that the codec keeps. It closes connections that go beyond them, with ENHANCE_YOUR_CALM where it is a question of how often.
    ///
    /// Of streams and of lists of fields the codec takes more than is announced, so that an excess gets an answer of
    /// its own.
    var http2Connection: NIOHTTP2Handler.ConnectionConfiguration {
        let readableList = max(2 * announcedList, FrameGate.largestReadableList)
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: Int(Int32.max)),
            HTTP2Setting(parameter: .maxHeaderListSize, value: min(readableList, Int(Int32.max))),
            HTTP2Setting(parameter: .initialWindowSize, value: Self.windowByteCount),
        ]
        // RFC 8441 §3
        if webSockets != nil { connection.initialSettings.append(HTTP2Setting(parameter: .enableConnectProtocol, value: 1)) }
        connection.maximumSequentialContinuationFrames = max(FrameGate.maximumContinuationCount, readableList / 16_384 + 4)
        connection.maximumSequentialEmptyDataFrames = 4
        connection.maximumBufferedControlFrames = 1_000
        connection.maximumRecentlyResetStreams = 2 * min(maximumStreamCount, 1_000)
        connection.maximumConnectionGlitches = 100
        connection.targetWindowSize = 16 * Self.windowByteCount
        // PING, SETTINGS, PRIORITY: CVE-2019-9512, CVE-2019-9515.
        connection.controlFrameRateLimit.maximumCount = 200
        connection.controlFrameRateLimit.windowLength = TimeAmount(http2RateWindow)
        return connection
    }

    /// The settings that clients are told, where they differ from those that the codec keeps.
    var announcedHTTP2Settings: [UInt16: UInt32] {
        [SettingName.streamCount: UInt32(clamping: maximumStreamCount), SettingName.listSize: UInt32(clamping: announcedList)]
    }

    /// The largest list of fields that is served, as RFC 9113 §6.5.2 counts.
    private var announcedList: Int {
        min(maximumTargetByteCount, Self.largestCount) + min(maximumHeaderByteCount, Self.largestCount)
            + 32 * (min(maximumHeaderFieldCount, Self.largestCount / 32) + 4)
    }

    private static var largestCount: Int { Int(Int32.max) / 8 }

    /// The limits on streams that the codec keeps.
    var http2Stream: NIOHTTP2Handler.StreamConfiguration {
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = Self.windowByteCount
        stream.outboundBufferSizeHighWatermark = 65_536
        stream.outboundBufferSizeLowWatermark = 32_768
        // Streams that the client resets: CVE-2023-44487.
        stream.streamResetFrameRateLimit.maximumCount = max(200, 2 * min(maximumStreamCount, 1_000))
        stream.streamResetFrameRateLimit.windowLength = TimeAmount(http2RateWindow)
        // Streams that it makes the server reset: CVE-2025-8671.
        stream.streamErrorRateLimit.maximumCount = 100
        stream.streamErrorRateLimit.windowLength = TimeAmount(http2RateWindow)
        return stream
    }

    /// How much content of a stream a client may send before it is asked for more.
    private static var windowByteCount: Int { 65_535 }
}
