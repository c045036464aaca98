// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import HoardNIO

@Suite struct OutgoingFramesTests {
    private static func goAway(_ code: UInt32) -> ByteBuffer {
        FrameClient.bytes([
            .init(kind: .goAway, payload: ByteBuffer(bytes: [0, 0, 0, 1] + (0..<4).map { UInt8(truncatingIfNeeded: code >> (24 - 8 * $0)) }))
        ])
    }

    @Test(arguments: [(0, nil), (1, .other), (11, .excess)] as [(UInt32, OutgoingFrames.ConnectionError?)])
    func goingAwayWithACodeIsAnErrorOfTheConnection(code: UInt32, error: OutgoingFrames.ConnectionError?) {
        var frames = OutgoingFrames()
        frames.wrote(FrameClient.bytes([.init(kind: .settings)]))
        #expect(frames.connectionError == nil)
        frames.wrote(Self.goAway(code))
        #expect(frames.connectionError == error)
        #expect(frames.byteCount == 9 + 17)
    }

    @Test func contentIsNoFrame() {
        var frames = OutgoingFrames()
        let fake = Self.goAway(1)
        var head = FrameClient.bytes([.init(kind: .data, stream: 1, payload: fake)])
        let content = head.getSlice(at: 9, length: fake.readableBytes) ?? ByteBuffer()
        head = head.getSlice(at: 0, length: 9) ?? ByteBuffer()
        frames.wrote(head)
        frames.wrote(content)
        #expect(frames.connectionError == nil)
        frames.wrote(FrameClient.bytes([.init(kind: .headers, stream: 1, payload: fake)]))
        #expect(frames.connectionError == nil)
        frames.wrote(ByteBuffer())
        frames.wrote(Self.goAway(2))
        #expect(frames.connectionError == .other)
    }

    @Test func whatComesAfterTheEndIsDropped() throws {
        let observer = OutgoingFrameObserver()
        let channel = EmbeddedChannel(handler: observer)
        try channel.writeInbound(ByteBuffer(string: "a"))
        #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "a"))
        observer.dropsInput = true
        try channel.writeInbound(ByteBuffer(string: "b"))
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
        try channel.writeOutbound(IOData.byteBuffer(Self.goAway(11)))
        #expect(observer.frames.connectionError == .excess)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
