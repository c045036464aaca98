// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOCore
internal import NIOHTTP1

/// Requests that are sent by their bytes, and responses that are taken as they come.
///
/// A response that the receiver does not take, or that does not come in one piece, is given to the parser, and its exchange goes on like any other.
extension ClientConnectionHandler {
    struct Relay {
        let receiver: any RelayReceiver
        let asTransportError: @Sendable (any Error) -> TransportError
        /// All bytes that have arrived.
        var arrived = ByteBuffer()
        /// `nil`: the receiver has not taken the response.
        var taken: TakenResponse?

        /// The exchange that goes on with the parser, or that has failed.
        func makeExchange() -> ClientExchange { ClientExchange(.relayed, wantsInterimResponses: true, asTransportError: asTransportError) }
    }

    /// More than this is not held back from the parser.
    private static let maximumRelayedByteCount = 128 << 10

    func relay(
        _ request: ByteBuffer,
        to receiver: any RelayReceiver,
        asTransportError: @escaping @Sendable (any Error) -> TransportError,
        context: ChannelHandlerContext
    ) -> Bool {
        guard machine.isIdle, owner != nil, let contexts else { return false }
        machine.exchangeStarted()
        machine.requestEnded()
        splitter.reset()
        timing.exchangeStarted(now: context.eventLoop.now)
        timing.requestEnded(now: context.eventLoop.now)
        armTimer(context: context)
        relay = Relay(receiver: receiver, asTransportError: asTransportError)
        // Past the encoder.
        contexts.encoder.writeAndFlush(NIOAny(request), promise: nil)
        return true
    }

    /// Bytes have arrived behind a relayed request.
    func relayReceived(_ bytes: ByteBuffer) {
        guard relay?.taken == nil else { return machine.strayBytesArrived() }
        if relay?.arrived.readableBytes == 0 { relay?.arrived = bytes } else { relay?.arrived.writeImmutableBuffer(bytes) }
        guard let relay else { return }
        if let taken = relay.receiver.take(relay.arrived) {
            self.relay?.taken = taken
            machine.responseTaken()
        } else if relay.arrived.readableBytes > Self.maximumRelayedByteCount {
            handOverRelay()
        }
    }

    /// All that the origin has sent for now has arrived, or all that it will send. A response that has not come in one
    /// piece is parsed.
    func relayPauses() {
        guard let relay, relay.taken == nil, relay.arrived.readableBytes > 0 else { return }
        handOverRelay()
    }

    /// Has the response to a relayed request parsed, whatever has come of it.
    func handOverRelay() {
        guard let relay, relay.taken == nil, let owner, let (_, gate, own) = contexts else { return }
        self.relay = nil
        let exchange = relay.makeExchange()
        current = Current(exchange: exchange)
        isReplaying = true
        own.write(Self.wrapOutboundOut(.head(exchange.request.head)), promise: nil)
        own.write(Self.wrapOutboundOut(.end(nil)), promise: nil)
        isReplaying = false
        // Without any, the server still may not have seen the request.
        if relay.arrived.readableBytes > 0 { bytesArrived(relay.arrived, context: own) { gate.fireChannelRead(ResponseGate.wrapInboundOut($0)) } }
        relay.receiver.handOver(SentExchange(connection: owner.connection, exchange: exchange))
    }

    /// The connection has no future.
    func end(_ relay: Relay, _ error: any Error, isUnanswered: Bool) {
        if relay.taken != nil { return relay.receiver.finish() }
        guard let owner else { return }
        let exchange = relay.makeExchange()
        exchange.fail(error, isUnanswered: isUnanswered)
        relay.receiver.handOver(SentExchange(connection: owner.connection, exchange: exchange))
    }
}

extension OutgoingRequest {
    /// Stands for a plain GET that has been sent by its bytes.
    fileprivate static let relayed = OutgoingRequest(head: HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"))
}
