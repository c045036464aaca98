// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.timeLimit(.minutes(1))) struct DirectSocketTests {
    /// Two connected sockets, closed at the end.
    private func withSockets(_ body: (_ mine: CInt, _ theirs: CInt) throws -> Void) throws {
        var sockets: [CInt] = [-1, -1]
        #if canImport(Glibc)
            let type = CInt(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        try #require(socketpair(AF_UNIX, type, 0, &sockets) == 0)
        defer { for socket in sockets { close(socket) } }
        try body(sockets[0], sockets[1])
    }

    /// The bytes that arrive before there is nothing more for now; `nil` at the end of the connection.
    private func received(_ socket: CInt) -> [UInt8]? {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(socket, &piece, piece.count, CInt(MSG_DONTWAIT))
            if count == 0 { return all.isEmpty ? nil : all }
            if count < 0 { return all }
            all += piece[..<count]
        }
    }

    @Test func whatTheSocketTakesArrives() throws {
        try withSockets { mine, theirs in
            let socket = try #require(DirectSocket(duplicating: mine))
            #expect(socket.send(ByteBuffer(string: "PING\r\n")) == 6)
            #expect(received(theirs) == Array("PING\r\n".utf8))
            #expect(socket.send(ByteBuffer()) == 0)
        }
    }

    @Test func aFullSocketTakesAPartOrNothingAndNeverWaits() throws {
        try withSockets { mine, theirs in
            let socket = try #require(DirectSocket(duplicating: mine))
            let bytes = ByteBuffer(bytes: (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            var taken = 0
            for _ in 0..<64 { taken += socket.send(bytes.getSlice(at: taken % (1 << 19), length: 1 << 19) ?? ByteBuffer()) }
            #expect(taken < 64 << 19)
            #expect(socket.send(bytes) == 0)
            #expect(received(theirs)?.count == taken)
            #expect(socket.send(ByteBuffer(string: "again")) == 5)
        }
    }

    @Test func nothingIsSentToSomebodyWhoHasGoneAndNoSignalComes() throws {
        try withSockets { mine, theirs in
            let socket = try #require(DirectSocket(duplicating: mine))
            shutdown(theirs, CInt(SHUT_RDWR))
            #expect(socket.send(ByteBuffer(string: "PING\r\n")) == 0)
        }
    }

    @Test func theConnectionGoesOnAsLongAsTheDuplicateIsThere() throws {
        var sockets: [CInt] = [-1, -1]
        try withSockets { mine, theirs in
            sockets = [dup(mine), dup(theirs)]
        }
        var socket = DirectSocket(duplicating: sockets[0])
        close(sockets[0])
        #expect(socket?.send(ByteBuffer(string: "a")) == 1)
        #expect(received(sockets[1]) == [0x61])
        socket = nil
        #expect(received(sockets[1]) == nil)
        close(sockets[1])
    }

    @Test func shuttingDownEndsTheConnectionForAll() throws {
        try withSockets { mine, theirs in
            let socket = try #require(DirectSocket(duplicating: mine))
            socket.shutDown()
            #expect(socket.send(ByteBuffer(string: "a")) == 0)
            #expect(send(mine, "a", 1, CInt(MSG_DONTWAIT) | noSignal) < 0)
            #expect(received(theirs) == nil)
        }
    }

    @Test func aDescriptorThatIsNoneHasNoDuplicate() {
        #expect(DirectSocket(duplicating: -1) == nil)
    }

    #if canImport(Darwin)
        private let noSignal: CInt = 0
    #else
        private let noSignal = CInt(MSG_NOSIGNAL)
    #endif
}
