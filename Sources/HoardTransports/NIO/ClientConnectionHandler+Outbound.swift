// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
internal import NIOCore
internal import NIOHTTP1

extension ClientConnectionHandler {
    /// Sends the request of an exchange, or gives the connection back if no caller wants the exchange any more.
    func start(_ exchange: ClientExchange, context: ChannelHandlerContext) {
        guard machine.isIdle, let owner else {
            exchange.fail(ExchangeError.stale(wasSent: false))
            return
        }
        guard !exchange.isOver else {
            owner.pool.connectionReleased(owner.connection)
            return
        }
        machine.exchangeStarted()
        splitter.reset()
        timing.exchangeStarted(now: context.eventLoop.now)
        armTimer(context: context)
        current = Current(exchange: exchange)
        context.write(Self.wrapOutboundOut(.head(exchange.request.head)), promise: nil)
        switch exchange.request.content {
        case .none:
            end(context: context)
        case .bytes(let bytes):
            context.write(Self.wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            end(context: context)
        case .webSocket:
            context.flush()
            timing.requestEnded(now: context.eventLoop.now)
            armTimer(context: context)
        case .stream(let body):
            context.flush()
            timing.isSourceWaitedFor = true
            current?.upload = startTask { [connection = owner.connection] in await connection.upload(body, of: exchange) }
        }
    }

    /// Writes content of the request.
    ///
    /// - Returns: When the network has taken it.
    func write(_ part: ByteBuffer, of exchange: ClientExchange, context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        guard current?.exchange === exchange, machine.acceptsContent else {
            return context.eventLoop.makeFailedFuture(ExchangeError.connectionClosed)
        }
        timing.isSourceWaitedFor = false
        timing.progressed(now: context.eventLoop.now)
        let taken = context.eventLoop.makePromise(of: Void.self)
        taken.futureResult.assumeIsolated().whenSuccess {
            guard self.current?.exchange === exchange else { return }
            self.timing.isSourceWaitedFor = true
            self.timing.progressed(now: context.eventLoop.now)
        }
        context.writeAndFlush(Self.wrapOutboundOut(.body(.byteBuffer(part))), promise: taken)
        return taken.futureResult
    }

    /// The content of the request has been written.
    func endRequest(of exchange: ClientExchange, context: ChannelHandlerContext) {
        guard current?.exchange === exchange, machine.acceptsContent else { return }
        timing.isSourceWaitedFor = false
        timing.progressed(now: context.eventLoop.now)
        end(context: context)
        // The origin may have more to say. If it cannot be told, it need not.
        if current?.isTunnel == true { context.close(mode: .output, promise: nil) }
    }

    /// The sender of a request does not want its response any more, or cannot send the rest of the request.
    func fail(_ exchange: ClientExchange, _ error: any Error, context: ChannelHandlerContext) {
        guard current?.exchange === exchange else { return }
        close(error, context: context)
    }

    /// Gives up the rest of a response's content, which no reader wants.
    func abandon(_ exchange: ClientExchange, context: ChannelHandlerContext) {
        guard current?.exchange === exchange else { return }
        switch machine.bodyAbandoned() {
        case .none:
            break
        case .drain:
            current?.isBodyFull = false
            resumeReading(context: context)
        case .close:
            close(CancellationError(), context: context)
        }
    }

    private func end(context: ChannelHandlerContext) {
        machine.requestEnded()
        timing.requestEnded(now: context.eventLoop.now)
        // The time for the response may be shorter than the one that the timer was set to.
        armTimer(context: context)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }
}
