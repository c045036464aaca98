// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardNIOTestSupport
import HoardTesting
internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A server that answers each request with the bytes a test gives, whether they are HTTP or not, as slowly as the test wants.
///
/// It listens until the process ends. A release build gives an object up after its last use, and in many tests
/// that is the reading of the port.
final class ScriptedServer: Sendable {
    enum Step: Sendable {
        case send(String)
        /// Waits before the next step.
        case pause(TimeAmount)
        /// Waits for the signal before the next step.
        case wait(Signal)
        /// Waits before the next step until the client has read all that was sent: what comes after it comes alone.
        case waitUntilRead
        case close
        /// Closes the connection with a reset, as when the process is killed.
        case reset
    }

    typealias Script = @Sendable (_ head: String) -> [Step]

    private let channel: any Channel
    /// How many requests have come.
    let requests: Counter

    var port: Int { channel.localAddress?.port ?? 0 }

    private init(_ channel: any Channel, _ requests: Counter) {
        self.channel = channel
        self.requests = requests
    }

    /// - Parameter untilRead: Returns when the client has read all that had been sent before the call.
    static func start(untilRead: @escaping @Sendable () async -> Void = {}, _ script: @escaping Script) async throws -> ScriptedServer {
        let requests = Counter()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Player(requests, script, untilRead)) }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return ScriptedServer(channel, requests)
    }
}

private final class Player: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let requests: Counter
    private let script: ScriptedServer.Script
    private let untilRead: @Sendable () async -> Void
    private var pending = ""

    init(_ requests: Counter, _ script: @escaping ScriptedServer.Script, _ untilRead: @escaping @Sendable () async -> Void) {
        self.requests = requests
        self.script = script
        self.untilRead = untilRead
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pending += String(buffer: Self.unwrapInboundIn(data))
        guard let end = pending.firstRange(of: "\r\n\r\n") else { return }
        let head = String(pending[..<end.upperBound])
        pending = ""
        requests.add()
        play(script(head)[...], context)
    }

    private func play(_ steps: ArraySlice<ScriptedServer.Step>, _ context: ChannelHandlerContext) {
        var steps = steps
        while let step = steps.popFirst() {
            switch step {
            case .send(let text):
                context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            case .pause(let time):
                let rest = steps
                _ = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
                    if context.channel.isActive { self.play(rest, context) }
                }
                return
            case .wait(let signal):
                play(steps, context) { await signal.wait() }
                return
            case .waitUntilRead:
                play(steps, context, after: untilRead)
                return
            case .close:
                context.close(promise: nil)
            case .reset:
                (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
                context.close(promise: nil)
            }
        }
    }

    private func play(_ steps: ArraySlice<ScriptedServer.Step>, _ context: ChannelHandlerContext, after wait: @escaping @Sendable () async -> Void) {
        let rest = NIOLoopBound((self, context, steps), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        Task {
            await wait()
            eventLoop.execute {
                let (player, context, steps) = rest.value
                if context.channel.isActive { player.play(steps, context) }
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
