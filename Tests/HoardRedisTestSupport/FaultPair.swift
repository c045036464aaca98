// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A connection through a ``FaultProxy``: one from the client, one to the server. Everything happens on the event loop that both have.
final class FaultPair {
    /// Where bytes go.
    enum Direction: CaseIterable {
        case toServer
        case toClient
    }

    /// What is done to bytes that come from now on.
    struct Treatment: Sendable {
        /// Directions in which bytes are kept back.
        var stalled: Set<Direction> = []
        /// How long bytes for the client are on the way.
        var delay = TimeAmount.zero
        /// After so many bytes for the client the connection is cut; `nil`: never.
        var bytesToClient: Int?
    }

    let client: any Channel
    var server: (any Channel)?
    var treatment: Treatment {
        didSet { for direction in Direction.allCases where !treatment.stalled.contains(direction) { release(direction) } }
    }
    private var held: [Direction: [ByteBuffer]] = [:]
    private var isCut = false

    init(client: any Channel, treatment: Treatment) {
        self.client = client
        self.treatment = treatment
    }

    func received(_ bytes: ByteBuffer, _ direction: Direction) {
        if isCut { return }
        if treatment.stalled.contains(direction) || (direction == .toServer && server == nil) {
            held[direction, default: []].append(bytes)
        } else if direction == .toClient && treatment.delay > .zero {
            let pair = NIOLoopBound(self, eventLoop: client.eventLoop)
            client.eventLoop.assumeIsolated().scheduleTask(in: treatment.delay) { pair.value.forward(bytes, direction) }
        } else {
            forward(bytes, direction)
        }
    }

    /// Ends both connections at once. What was kept back is lost, as it is when a network fails.
    func cut() {
        if isCut { return }
        isCut = true
        held = [:]
        client.close(promise: nil)
        server?.close(promise: nil)
    }

    private func release(_ direction: Direction) {
        guard let bytes = held.removeValue(forKey: direction) else { return }
        for bytes in bytes { forward(bytes, direction) }
    }

    private func forward(_ bytes: ByteBuffer, _ direction: Direction) {
        if isCut { return }
        switch direction {
        case .toServer:
            server?.writeAndFlush(bytes, promise: nil)
        case .toClient:
            guard let left = treatment.bytesToClient else { return client.writeAndFlush(bytes, promise: nil) }
            var bytes = bytes
            treatment.bytesToClient = left - min(left, bytes.readableBytes)
            let last = left <= bytes.readableBytes
            if let part = bytes.readSlice(length: min(left, bytes.readableBytes)), part.readableBytes > 0 { client.writeAndFlush(part, promise: nil) }
            if last { cut() }
        }
    }
}

/// Hands on what one end of a ``FaultPair`` receives, and ends the other end when this one has ended.
final class FaultHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let pair: FaultPair
    private let direction: FaultPair.Direction

    init(_ pair: FaultPair, _ direction: FaultPair.Direction) {
        self.pair = pair
        self.direction = direction
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pair.received(unwrapInboundIn(data), direction)
    }

    func channelInactive(context: ChannelHandlerContext) {
        pair.cut()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        pair.cut()
    }
}
