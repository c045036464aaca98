// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardWire
internal import Logging
internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Stands in front of the listening socket's pipeline, and accepts no connection while there are as many as the server serves at once.
final class AcceptGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    /// The time for which nothing is accepted after the system had no room for a connection. Tried again at once, it would fail again and again.
    static let pause = TimeAmount.milliseconds(100)

    private let registry: ConnectionRegistry
    private let logger: Logger
    private var isReadHeld = false
    private var isPausing = false
    /// Whether the lack of room has been logged since a connection was accepted last.
    private var hasReportedLack = false

    init(_ registry: ConnectionRegistry, logger: Logger) {
        self.registry = registry
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        registry.addGate(ObjectIdentifier(self)) {
            eventLoop.execute {
                let (gate, context) = gate.value
                if gate.isReadHeld { gate.read(context: context) }
            }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        registry.removeGate(ObjectIdentifier(self))
    }

    func read(context: ChannelHandlerContext) {
        isReadHeld = isPausing || !registry.mayAccept()
        if !isReadHeld { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        registry.accepted()
        hasReportedLack = false
        Self.unwrapInboundIn(data).closeFuture.whenComplete { [registry] _ in
            if registry.released() { registry.openGates() }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        if !hasReportedLack {
            hasReportedLack = true
            logger.warning(
                "No connection can be accepted now: the system has no room for more open files.",
                metadata: ["errno": "\(error.errnoCode)"]
            )
        }
        guard !isPausing else { return }
        isPausing = true
        // The failed attempt leaves the channel waiting for the next one, whether it is asked to read or not.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.pause) {
            let (gate, context) = gate.value
            gate.isPausing = false
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
            if gate.isReadHeld { gate.read(context: context) }
        }
    }
}
