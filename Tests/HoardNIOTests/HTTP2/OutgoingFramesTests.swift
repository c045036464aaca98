// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import NIOCore
import NIOEmbedded
import NIOHPACK
import Testing

@testable import HoardNIO
@testable import HoardWire

@Suite struct OutgoingFramesTests {
    private static func goAway(_ code: UInt32) -> ByteBuffer {
        FrameClient.bytes([
            .init(kind: .goAway, payload: ByteBuffer(bytes: [0, 0, 0, 1] + (0..<4).map { UInt8(truncatingIfNeeded: code >> (24 - 8 * $0)) }))
        ])
    }

    @discardableResult
    private static func write(_ bytes: ByteBuffer, _ frames: inout OutgoingFrames) -> ByteBuffer {
        frames.writes(bytes, maximumPayloadByteCount: 16_384)
    }

    @Test(arguments: [(0, nil), (1, .other), (11, .excess)] as [(UInt32, OutgoingFrames.ConnectionError?)])
    func goingAwayWithACodeIsAnErrorOfTheConnection(code: UInt32, error: OutgoingFrames.ConnectionError?) {
        var frames = OutgoingFrames()
        Self.write(FrameClient.bytes([.init(kind: .settings)]), &frames)
        #expect(frames.connectionError == nil)
        Self.write(Self.goAway(code), &frames)
        #expect(frames.connectionError == error)
        #expect(frames.byteCount == 9 + 17)
    }

    @Test func contentIsNoFrame() {
        var frames = OutgoingFrames()
        let fake = Self.goAway(1)
        var head = FrameClient.bytes([.init(kind: .data, stream: 1, payload: fake)])
        let content = head.getSlice(at: 9, length: fake.readableBytes) ?? ByteBuffer()
        head = head.getSlice(at: 0, length: 9) ?? ByteBuffer()
        Self.write(head, &frames)
        Self.write(content, &frames)
        #expect(frames.connectionError == nil)
        Self.write(FrameClient.bytes([.init(kind: .headers, stream: 1, payload: fake)]), &frames)
        #expect(frames.connectionError == nil)
        Self.write(ByteBuffer(), &frames)
        Self.write(Self.goAway(2), &frames)
        #expect(frames.connectionError == .other)
    }

    /// Around every multiple of a frame's length that matters, byte by byte.
    @Test(arguments: [16_384, 20_000, 262_144])
    func headIsCutByWhatTheOtherSideTakes(_ limit: Int) {
        for byteCount in [0, 1, limit - 1, limit, limit + 1, 2 * limit - 1, 2 * limit, 2 * limit + 1, 5 * limit, 5 * limit + 1] {
            for endsStream in [false, true] {
                let block = ByteBuffer(bytes: (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                let frame = FrameClient.bytes([.init(kind: .headers, flags: endsStream ? 5 : 4, stream: 7, payload: block)])
                var frames = OutgoingFrames()
                var written = frames.writes(frame, maximumPayloadByteCount: limit)
                #expect(frames.byteCount == written.readableBytes)
                var joined = ByteBuffer()
                var flags: [UInt8] = []
                var kinds: [UInt8] = []
                while let (start, flag, stream) = written.readMultipleIntegers(as: (UInt32, UInt8, UInt32).self) {
                    #expect(start >> 8 <= limit)
                    #expect(stream == 7)
                    kinds.append(UInt8(truncatingIfNeeded: start))
                    flags.append(flag)
                    joined.writeImmutableBuffer(written.readSlice(length: Int(start >> 8)) ?? ByteBuffer())
                }
                let count = max(1, (byteCount + limit - 1) / limit)
                #expect(written.readableBytes == 0)
                #expect(joined == block)
                #expect(kinds == [1] + Array(repeating: 9, count: count - 1))
                let last: UInt8 = 4
                #expect(flags.enumerated().allSatisfy { $1 == ($0 == 0 && endsStream ? 1 : 0) | ($0 == count - 1 ? last : 0) })
            }
        }
    }

    @Test func onlyTheFirstSettingsAreAnnouncedDifferently() {
        func settings(_ value: UInt32) -> ByteBuffer {
            var payload = ByteBuffer()
            payload.writeMultipleIntegers(UInt16(3), value)
            payload.writeMultipleIntegers(UInt16(4), UInt32(1))
            return FrameClient.bytes([.init(kind: .settings, payload: payload)])
        }
        var frames = OutgoingFrames(announced: [3: 100, 6: 5])
        #expect(Self.write(settings(9), &frames) == settings(100))
        #expect(Self.write(settings(9), &frames) == settings(9))
    }

    @Test func prefaceOfAClientIsNoFrame() {
        var frames = OutgoingFrames(isServer: false)
        Self.write(ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), &frames)
        Self.write(Self.goAway(1), &frames)
        #expect(frames.connectionError == .other)
        #expect(frames.byteCount == 24 + 17)
    }

    @Test func whatComesAfterTheEndIsDropped() throws {
        let gate = FrameGate(maximumListByteCount: 100)
        let channel = EmbeddedChannel(handler: gate)
        let ping = FrameClient.bytes([.init(kind: .ping, payload: ByteBuffer(repeating: 0, count: 8))])
        try channel.writeInbound(ping)
        #expect(try channel.readInbound(as: ByteBuffer.self) == ping)
        gate.dropsInput = true
        try channel.writeInbound(ping)
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
        try channel.writeOutbound(IOData.byteBuffer(ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")))
        try channel.writeOutbound(IOData.byteBuffer(Self.goAway(11)))
        #expect(gate.frames.connectionError == .excess)
        #expect(gate.hasGivenUp)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func listsOfFieldsAreMeasuredAsTheProtocolSays() throws {
        let gate = FrameGate(maximumListByteCount: 100)
        let channel = EmbeddedChannel(handler: gate)
        // Nothing said: up to a measure of our own.
        #expect(gate.takes(["a": String(repeating: "b", count: 1_000_000)]))
        #expect(!gate.takes(["a": String(repeating: "b", count: 1_048_544)]))
        var payload = ByteBuffer()
        payload.writeMultipleIntegers(UInt16(6), UInt32(80))
        try channel.writeInbound(FrameClient.bytes([.init(kind: .settings, payload: payload)]))
        #expect(gate.takes(["a": "bcdefgh", "i": "jklmnop"]))
        #expect(!gate.takes(["a": "bcdefgh", "i": "jklmnopq"]))
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
