// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardNIO
@testable import HoardWire

@Suite struct IncomingFramesTests {
    private typealias Frame = FrameClient.Frame

    private static let preface = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

    private static func settings(_ settings: [(UInt16, UInt32)]) -> Frame {
        var payload = ByteBuffer()
        for (name, value) in settings { payload.writeMultipleIntegers(name, value) }
        return Frame(kind: .settings, payload: payload)
    }

    private static let acknowledgement = Frame(kind: .settings, flags: 1)

    private static func read(_ frames: [Frame], as frameReader: inout IncomingFrames) -> ByteBuffer {
        frameReader.read(FrameClient.bytes(frames))
    }

    @Test func codecIsToldOfFramesAsLongAsTheProtocolAllows() {
        var frames = IncomingFrames(isServer: false)
        #expect(frames.maximumPayloadByteCount == 16_384)
        #expect(Self.read([Self.settings([(3, 100)])], as: &frames) == FrameClient.bytes([Self.settings([(3, 100), (5, 16_777_215)])]))
        #expect(frames.maximumPayloadByteCount == 16_384)
        #expect(frames.maximumListByteCount == nil)
        let later = Self.settings([(5, 20_000), (6, 4_000), (1, 0xFFFF_FFFF)])
        #expect(Self.read([later], as: &frames) == FrameClient.bytes([Self.settings([(5, 16_777_215), (6, 4_000), (1, 65_536)])]))
        #expect(frames.maximumPayloadByteCount == 20_000)
        #expect(frames.maximumListByteCount == 4_000)
        // A setting holds until another one comes.
        #expect(Self.read([Self.settings([(4, 1)])], as: &frames) == FrameClient.bytes([Self.settings([(4, 1)])]))
        #expect(frames.maximumPayloadByteCount == 20_000)
    }

    @Test(arguments: [0, 16_383, 16_777_216, 0xFFFF_FFFF] as [UInt32])
    func whatIsWrongIsLeftToTheCodec(_ size: UInt32) {
        var frames = IncomingFrames(isServer: false)
        #expect(Self.read([Self.settings([(5, size)])], as: &frames) == FrameClient.bytes([Self.settings([(5, size), (5, 16_777_215)])]))
        #expect(frames.maximumPayloadByteCount == 16_384)
        for wrong in [
            Frame(kind: .settings, payload: ByteBuffer(repeating: 0, count: 7)),
            Frame(kind: .settings, stream: 1, payload: ByteBuffer(repeating: 0, count: 6)),
            Frame(kind: .settings, payload: ByteBuffer(repeating: 0, count: 16_386)),
            Frame(kind: .settings, flags: 1, payload: ByteBuffer(repeating: 0, count: 6)),
        ] {
            #expect(Self.read([wrong], as: &frames) == FrameClient.bytes([wrong]))
        }
    }

    @Test func serversSettingsAreAcknowledgedWithTheClientsFirst() {
        var frames = IncomingFrames(isServer: true)
        var beginning = Self.preface
        beginning.writeImmutableBuffer(FrameClient.bytes([Self.settings([])]))
        var expected = Self.preface
        expected.writeImmutableBuffer(FrameClient.bytes([Self.settings([(5, 16_777_215)]), Self.acknowledgement]))
        #expect(frames.read(beginning) == expected)
        let ping = Frame(kind: .ping, payload: ByteBuffer(repeating: 1, count: 8))
        #expect(Self.read([ping, Self.acknowledgement, ping], as: &frames) == FrameClient.bytes([ping, ping]))
        // There is only one to be acknowledged.
        #expect(Self.read([Self.acknowledgement, Self.settings([])], as: &frames) == FrameClient.bytes([Self.acknowledgement, Self.settings([])]))
    }

    @Test(arguments: 0..<30)
    func piecesMakeNoDifference(_ round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var sent = Self.preface
        var expected = Self.preface
        var hasBegun = false
        for number in 0..<Int.random(in: 1...20, using: &generator) {
            let content = ByteBuffer(bytes: (0..<Int.random(in: 0...300, using: &generator)).map { _ in UInt8.random(in: 0...12, using: &generator) })
            switch number == 0 ? 0 : Int.random(in: 0..<4, using: &generator) {
            case 0:
                let told: [(UInt16, UInt32)] = [(4, 70_000), (5, 30_000)].prefix(Int.random(in: 0...2, using: &generator)).map { $0 }
                sent.writeImmutableBuffer(FrameClient.bytes([Self.settings(told)]))
                var changed = told.map { $0.0 == 5 ? (5, 16_777_215) : $0 }
                if !hasBegun, changed.count < 2 { changed.append((5, 16_777_215)) }
                expected.writeImmutableBuffer(FrameClient.bytes([Self.settings(changed)] + (hasBegun ? [] : [Self.acknowledgement])))
                hasBegun = true
            case 1:
                let frame = FrameClient.bytes([Frame(kind: .data, flags: 1, stream: 3, payload: content)])
                sent.writeImmutableBuffer(frame)
                expected.writeImmutableBuffer(frame)
            default:
                let frame = FrameClient.bytes([Frame(kind: .headers, flags: 4, stream: 5, payload: content)])
                sent.writeImmutableBuffer(frame)
                expected.writeImmutableBuffer(frame)
            }
        }
        var frames = IncomingFrames(isServer: true)
        var received = ByteBuffer()
        while sent.readableBytes > 0 {
            let count = min(sent.readableBytes, Int.random(in: 1...(round % 3 == 0 ? 3 : 200), using: &generator))
            let part = frames.read(sent.readSlice(length: count) ?? ByteBuffer())
            received.writeImmutableBuffer(part)
        }
        #expect(received == expected, "seed \(seed)")
    }
}
