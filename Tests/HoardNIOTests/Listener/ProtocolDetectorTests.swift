// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import HoardNIO

@Suite struct ProtocolDetectorTests {
    private final class Found {
        var version: ProtocolDetector.Version?
    }

    private static func channel(isSecure: Bool = false) throws -> (EmbeddedChannel, Found) {
        let found = Found()
        let channel = EmbeddedChannel(handler: ProtocolDetector(isSecure: isSecure) { version, _ in found.version = version })
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        return (channel, found)
    }

    @Test(arguments: [("GET / HTTP/1.1\r\n", 1), ("POST", 2), ("PRX", 3), ("PRI * HTTP/1.1", 12), ("PRI * HTTP/2.0\r\n\r\nSX", 20)])
    func firstByteThatDiffersTellsHTTP1(text: String, count: Int) throws {
        let (channel, found) = try Self.channel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        for byte in text.utf8.prefix(count - 1) { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
        #expect(found.version == nil)
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
        for byte in text.utf8.dropFirst(count - 1) { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
        #expect(found.version == .http1)
        channel.embeddedEventLoop.run()
        var arrived = ""
        while let bytes = try channel.readInbound(as: ByteBuffer.self) { arrived += String(buffer: bytes) }
        #expect(arrived == text)
    }

    @Test func wholePrefaceTellsHTTP2() throws {
        let (channel, found) = try Self.channel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.writeInbound(ByteBuffer(bytes: ProtocolDetector.preface.dropLast()))
        #expect(found.version == nil)
        try channel.writeInbound(ByteBuffer(bytes: ProtocolDetector.preface.suffix(1) + [1, 2]))
        #expect(found.version == .http2)
        #expect(try channel.readInbound(as: ByteBuffer.self)?.readableBytes == 26)
    }

    @Test(arguments: [("h2", true), ("http/1.1", false), (nil, false)] as [(String?, Bool)])
    func agreementTellsWithEncryption(negotiated: String?, isHTTP2: Bool) throws {
        let (channel, found) = try Self.channel(isSecure: true)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: negotiated))
        #expect(found.version == (isHTTP2 ? .http2 : .http1))
    }

    @Test func clientThatLeavesEarlyIsLetGo() throws {
        let (left, _) = try Self.channel()
        defer { _ = try? left.finish(acceptAlreadyClosed: true) }
        left.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!left.isActive)
        let (failed, _) = try Self.channel(isSecure: true)
        defer { _ = try? failed.finish(acceptAlreadyClosed: true) }
        failed.pipeline.fireErrorCaught(IOError(errnoCode: 104, reason: "read"))
        #expect(!failed.isActive)
    }

    @Test func findingOutTakesNoLongerThanAllowed() throws {
        let loop = EmbeddedEventLoop()
        let timer = OpeningTimer(timeout: .seconds(30))
        let channel = EmbeddedChannel(handler: timer, loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        loop.advanceTime(by: .seconds(29))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
        let other = OpeningTimer(timeout: .seconds(30))
        let known = EmbeddedChannel(handler: other, loop: loop)
        try known.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        other.finish(in: known)
        loop.advanceTime(by: .seconds(300))
        #expect(known.isActive)
        _ = try known.finish()
    }
}
