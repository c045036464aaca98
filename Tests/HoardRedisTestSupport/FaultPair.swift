// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The orders of a ``FaultProxy``. An order holds from the moment it is given: pairs look before they hand on anything.
final class FaultOrders: Sendable {
    struct Values {
        /// Directions in which bytes are kept back.
        var stalled: Set<FaultPair.Direction> = []
        /// How long bytes for clients are on the way.
        var delay = TimeAmount.zero
        /// How often bytes were kept back.
        var keptBackCount = 0
        /// How often all connections were ended. A pair that was made before the last time is at its end.
        var cutCount = 0
    }

    private let values = Mutex(Values())

    var current: Values { values.withLock { $0 } }

    func change(_ body: (inout Values) -> Void) { values.withLock { body(&$0) } }
}

/// A connection through a ``FaultProxy``: one from the client, one to the server. Everything happens on the event loop that both have.
final class FaultPair {
    /// The way that bytes go.
    enum Direction: CaseIterable {
        case toServer
        case toClient
    }

    let client: any Channel
    var server: (any Channel)?
    private let orders: FaultOrders
    private let cutCount: Int
    /// After so many bytes for the client the connection is cut; `nil`: never.
    private var bytesToClient: Int?
    private var held: [Direction: [ByteBuffer]] = [:]
    private var isCut = false

    init(client: any Channel, orders: FaultOrders, bytesToClient: Int?) {
        self.client = client
        self.orders = orders
        self.bytesToClient = bytesToClient
        cutCount = orders.current.cutCount
    }

    func received(_ bytes: ByteBuffer, _ direction: Direction) {
        let orders = orders.current
        if orders.cutCount != cutCount { cut() }
        if isCut { return }
        if orders.stalled.contains(direction) || (direction == .toServer && server == nil) {
            held[direction, default: []].append(bytes)
            self.orders.change { $0.keptBackCount += 1 }
            return
        }
        release(direction)
        if direction == .toClient && orders.delay > .zero {
            let pair = NIOLoopBound(self, eventLoop: client.eventLoop)
            client.eventLoop.assumeIsolated().scheduleTask(in: orders.delay) { pair.value.forward(bytes, direction) }
        } else {
            forward(bytes, direction)
        }
    }

    /// Obeys the present orders, without waiting for bytes.
    func obey() {
        let orders = orders.current
        if orders.cutCount != cutCount { cut() }
        if isCut || server == nil { return }
        for direction in Direction.allCases where !orders.stalled.contains(direction) { release(direction) }
    }

    /// Ends both connections at once. Bytes that were kept back are lost, as they are when a network fails.
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
            guard let left = bytesToClient else { return client.writeAndFlush(bytes, promise: nil) }
            var bytes = bytes
            bytesToClient = left - min(left, bytes.readableBytes)
            let last = left <= bytes.readableBytes
            if let part = bytes.readSlice(length: min(left, bytes.readableBytes)), part.readableBytes > 0 { client.writeAndFlush(part, promise: nil) }
            if last { cut() }
        }
    }
}

/// Hands on the bytes that one end of a ``FaultPair`` receives, and ends the other end when this one has ended.
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
