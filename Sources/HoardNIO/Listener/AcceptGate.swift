// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Stands in front of the listening socket's pipeline, and accepts no connection while there are as many as the server serves at once.
final class AcceptGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let registry: ConnectionRegistry
    private var isReadHeld = false

    init(_ registry: ConnectionRegistry) {
        self.registry = registry
    }

    func read(context: ChannelHandlerContext) {
        isReadHeld = !registry.mayAccept()
        if !isReadHeld { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        registry.accepted()
        let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        Self.unwrapInboundIn(data).closeFuture.whenComplete { [registry] _ in
            guard registry.released() else { return }
            eventLoop.execute {
                let (gate, context) = gate.value
                if gate.isReadHeld { gate.read(context: context) }
            }
        }
        context.fireChannelRead(data)
    }
}
