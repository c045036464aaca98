// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import HoardNIO

@Suite struct AcceptGateTests {
    /// Counts the reads that reach the socket.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = Never
        var count = 0

        func read(context: ChannelHandlerContext) { count += 1 }
    }

    private func gate(maximumCount: Int = 10) throws -> (channel: EmbeddedChannel, counter: ReadCounter) {
        let counter = ReadCounter()
        let gate = AcceptGate(ConnectionRegistry(maximumCount: maximumCount), logger: Logger(label: "test"))
        return (EmbeddedChannel(handlers: [counter, gate]), counter)
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func nothingIsAcceptedForAWhileAfterTheSystemHadNoRoom(code: CInt) throws {
        let (channel, counter) = try gate()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        channel.pipeline.read()
        #expect(counter.count == 1)
        for _ in 1...3 { channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept")) }
        for _ in 1...3 { channel.pipeline.read() }
        #expect(counter.count == 1)
        #expect(channel.options.compactMap { $0.value as? Bool } == [false])
        channel.embeddedEventLoop.advanceTime(by: AcceptGate.pause)
        #expect(channel.options.compactMap { $0.value as? Bool }.last == true)
        #expect(counter.count == 2)
        channel.pipeline.read()
        #expect(counter.count == 3)
    }

    @Test func otherErrorsAreForTheChannel() throws {
        let (channel, counter) = try gate()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNABORTED, reason: "accept"))
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
        channel.pipeline.read()
        #expect(counter.count == 1)
    }

    @Test func nothingIsAcceptedBeyondTheLimitUntilAConnectionCloses() throws {
        let (channel, counter) = try gate(maximumCount: 1)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        channel.pipeline.read()
        let connection = EmbeddedChannel(loop: channel.embeddedEventLoop)
        channel.pipeline.fireChannelRead(connection as any Channel)
        channel.pipeline.read()
        #expect(counter.count == 1)
        _ = try? connection.finish()
        channel.embeddedEventLoop.run()
        #expect(counter.count == 2)
    }
}
