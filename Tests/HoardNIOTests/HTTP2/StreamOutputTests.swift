// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHPACK
import Testing

@testable import HoardNIO

@Suite struct StreamOutputTests {
    private static func content(_ byteCount: Int) -> ByteBuffer { ByteBuffer(repeating: 1, count: byteCount) }

    private static func sizes(_ output: inout StreamOutput) -> [String] {
        var frames: [String] = []
        while let frame = output.next() {
            switch frame {
            case .data(let part, let endsStream): frames.append("\(part.readableBytes)\(endsStream ? "." : "")")
            case .trailers: frames.append("trailers.")
            }
        }
        return frames
    }

    @Test func contentIsCutIntoFramesAndTheLastOneEndsTheStream() {
        var output = StreamOutput()
        #expect(output.isEmpty)
        output.add(Self.content(40_000))
        output.add(Self.content(1))
        #expect(Self.sizes(&output) == ["16384", "16384", "7233"])
        output.add(Self.content(16_384))
        output.end(.none)
        #expect(Self.sizes(&output) == ["16384."])
        #expect(output.isEmpty)
        #expect(output.isWaiting)
    }

    @Test func endWithoutContentIsAFrameOfItsOwn() {
        var output = StreamOutput()
        output.end(.none)
        #expect(Self.sizes(&output) == ["0."])
        var trailing = StreamOutput()
        trailing.add(Self.content(10))
        trailing.end(.trailers(["a": "b"]))
        #expect(Self.sizes(&trailing) == ["10", "trailers."])
    }

    @Test func whatTheSocketHasTakenIsCounted() {
        var output = StreamOutput()
        output.add(Self.content(20_000))
        _ = Self.sizes(&output)
        #expect(output.unsentByteCount == 20_000)
        output.written(byteCount: 16_384, isSent: true)
        #expect(output.sentByteCount == 16_384)
        output.written(byteCount: 3_616, isSent: false)
        #expect(output.sentByteCount == 16_384)
        #expect(!output.isWaiting)
    }

    @Test func thereIsRoomWhenAllIsWritten() throws {
        let loop = EmbeddedEventLoop()
        var output = StreamOutput()
        try output.whenThereIsRoom(on: loop).wait()
        output.add(Self.content(10))
        let room = output.whenThereIsRoom(on: loop)
        #expect(output.takeRoom() == nil)
        _ = Self.sizes(&output)
        output.takeRoom()?.succeed()
        try room.wait()
        output.add(Self.content(10))
        let never = output.whenThereIsRoom(on: loop)
        output.giveUp()
        #expect(throws: ChannelError.self) { try never.wait() }
        #expect(output.isEmpty)
    }
}
