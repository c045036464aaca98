// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages
internal import NIOCore
internal import NIOHTTP1

/// Answers in the event loop what an ``ImmediateResponder`` can answer, and passes the other exchanges on to the connection's task.
///
/// It stands where exchanges come one by one, so that no task can be writing a response meanwhile.
final class ImmediateExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = Exchange
    typealias InboundOut = Exchange
    typealias OutboundOut = HTTPServerResponsePart

    private let responder: Responder

    init(_ responder: Responder) {
        self.responder = responder
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let exchange = Self.unwrapInboundIn(data)
        guard exchange.request.body.length == 0, let response = responder.immediate?.response(to: exchange.request),
            let content = response.body.bytesAtHand
        else { return context.fireChannelRead(data) }
        if responder.observer != nil { exchange.cancellation.note = response.note }
        let plan = ResponsePlan(response, to: exchange.request, keepsAlive: exchange.keepsAlive, date: responder.date)
        context.write(Self.wrapOutboundOut(.head(plan.head)), promise: nil)
        if case .bytes(1...) = plan.content { context.write(Self.wrapOutboundOut(.body(.byteBuffer(content))), promise: nil) }
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }
}
