// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages
internal import NIOCore
internal import NIOHTTP1

/// Answers in the event loop the exchanges that an ``ImmediateResponder`` can answer, and passes the others on, with
/// the work that it has begun for them.
///
/// It stands where exchanges come one by one, so that no task can be writing a response meanwhile.
final class ImmediateExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = Exchange
    typealias InboundOut = Exchange

    private let responder: Responder

    init(_ responder: Responder) {
        self.responder = responder
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var exchange = Self.unwrapInboundIn(data)
        guard exchange.request.body.length == 0, let immediate = responder.immediate else { return context.fireChannelRead(data) }
        switch exchange.begin?(exchange.request) ?? immediate.begin(exchange.request) {
        case .later(let answer):
            exchange.answer = answer
        case .response(let response):
            let plan = responder.plan(response, to: exchange)
            if plan.hasNoContent { return context.writeAndFlush(plan, content: nil) }
            if let content = plan.body.bytesAtHand { return context.writeAndFlush(plan, content: content) }
            exchange.answer = { response }
        }
        context.fireChannelRead(Self.wrapInboundOut(exchange))
    }
}
