// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@_spi(Client) import HoardRedis
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on loopback that answers as it is told, byte by byte.
final class ScriptedServer: Sendable {
    enum Answer: Sendable {
        /// These bytes, which may be any part of any number of replies.
        case text(String)
        case bytes([UInt8])
        /// These bytes, and then the end of the connection.
        case bytesAndEnd([UInt8])
        case end
        case nothing
        /// These bytes, and from then on nothing is read any more.
        case lastText(String)
    }

    /// The answer of a connection, counted from 1, to a command.
    typealias Script = @Sendable (_ connection: Int, _ command: [String]) -> Answer

    private struct State {
        var connections: [Int: any Channel] = [:]
        var connectionCount = 0
        var commands: [[String]] = []
        var observers: [(count: Int, CheckedContinuation<Void, Never>)] = []
        var script: Script
        /// Whether new connections are ended at once.
        var isDown = false
        /// The connections that have ended with an error.
        var failureCount = 0

        /// The number of commands that are not part of a login.
        var userCommandCount = 0
    }

    static let hello = "%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n"

    private let state: Mutex<State>
    private let listener: Mutex<(any Channel)?> = Mutex(nil)

    private init(_ script: @escaping Script) {
        state = Mutex(State(script: script))
    }

    /// - Parameter script: Answers every command but `HELLO`, `SELECT` and `CLIENT`, which get
    ///   the answers of a real server.
    static func start(tls: NIOSSLContext? = nil, _ script: @escaping Script) async throws -> ScriptedServer {
        let server = ScriptedServer { connection, command in
            switch command.first {
            case "HELLO": .text(hello)
            case "SELECT", "CLIENT": .text("+OK\r\n")
            default: script(connection, command)
            }
        }
        try await server.listen(tls)
        return server
    }

    /// - Parameter script: Answers every command.
    static func startPlain(_ script: @escaping Script) async throws -> ScriptedServer {
        let server = ScriptedServer(script)
        try await server.listen(nil)
        return server
    }

    private func listen(_ tls: NIOSSLContext?) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(ScriptedConnection(self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        listener.withLock { $0 = channel }
    }

    var configuration: RedisConfiguration {
        RedisConfiguration(address: .tcp(host: "127.0.0.1", port: listener.withLock { $0?.localAddress?.port } ?? 0))
    }

    /// The commands received so far, those of the login included.
    var commands: [[String]] { state.withLock { $0.commands } }
    var connectionCount: Int { state.withLock { $0.connectionCount } }
    var failureCount: Int { state.withLock { $0.failureCount } }

    /// Suspends until so many commands have been received whose name is not that of a login.
    func received(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.userCommandCount < count else { return true }
                state.observers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Sends to all connections that are open.
    func send(_ text: String) {
        for channel in state.withLock({ Array($0.connections.values) }) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    }

    /// Ends all connections that are open.
    func endConnections() {
        for channel in state.withLock({ Array($0.connections.values) }) { channel.close(promise: nil) }
    }

    func setDown(_ isDown: Bool) {
        state.withLock { $0.isDown = isDown }
        if isDown { endConnections() }
    }

    func stop() async {
        endConnections()
        try? await listener.withLock { $0 }?.close().get()
    }

    fileprivate func opened(_ channel: any Channel) -> Int? {
        state.withLock { state in
            state.connectionCount += 1
            guard !state.isDown else { return nil }
            state.connections[state.connectionCount] = channel
            return state.connectionCount
        }
    }

    fileprivate func failed() { state.withLock { $0.failureCount += 1 } }

    fileprivate func closed(_ connection: Int) {
        state.withLock { $0.connections[connection] = nil }
    }

    fileprivate func answer(_ connection: Int, _ command: [String]) -> Answer {
        let (script, woken) = state.withLock { state -> (Script, [CheckedContinuation<Void, Never>]) in
            state.commands.append(command)
            if !["HELLO", "SELECT", "CLIENT"].contains(command.first) { state.userCommandCount += 1 }
            let count = state.userCommandCount
            let woken = state.observers.filter { $0.count <= count }.map(\.1)
            state.observers.removeAll { $0.count <= count }
            return (state.script, woken)
        }
        for observer in woken { observer.resume() }
        return script(connection, command)
    }
}

private final class ScriptedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let server: ScriptedServer
    private var number: Int?
    private var decoder = RESPDecoder()

    init(_ server: ScriptedServer) {
        self.server = server
    }

    func channelActive(context: ChannelHandlerContext) {
        number = server.opened(context.channel)
        if number == nil { context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let number { server.closed(number) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        server.failed()
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let number else { return }
        decoder.append(Self.unwrapInboundIn(data))
        while let value = try? decoder.next() {
            guard case .array(let words) = value else { return context.close(promise: nil) }
            let command = words.map { word in if case .bulkString(let bytes) = word { String(buffer: bytes) } else { "" } }
            switch server.answer(number, command) {
            case .text(let text): context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            case .bytes(let bytes): context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
            case .bytesAndEnd(let bytes):
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
                return context.close(promise: nil)
            case .end: return context.close(promise: nil)
            case .nothing: break
            case .lastText(let text):
                _ = context.channel.setOption(.autoRead, value: false)
                context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            }
        }
    }
}
