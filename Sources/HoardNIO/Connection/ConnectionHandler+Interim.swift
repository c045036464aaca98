// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardEventLoops
internal import HoardMessages
internal import HoardWire
internal import NIOCore
internal import NIOHTTP1

extension ConnectionHandler {
    /// Returns a handler that sends interim responses in one exchange, and does nothing when the exchange has gone on to its final response.
    ///
    /// - Parameter exchange: Tells the exchange from those before and after it.
    func interimResponseSender(_ exchange: ExchangeCancellation, version: HTTPVersion, context: ChannelHandlerContext) -> InterimResponseHandler {
        guard version == .http1_1 else { return { _ in } }
        let handler = LoopBoundHandler(self, context)
        return { response in
            guard let head = HTTPResponseHead(interim: response) else { return }
            // A response that cannot be sent any more is no failure of the one that is to come.
            try? await handler.perform { $0.writeInterim(head, in: exchange, context: $1) }
        }
    }

    private func writeInterim(
        _ head: HTTPResponseHead,
        in exchange: ExchangeCancellation,
        context: ChannelHandlerContext
    ) -> EventLoopFuture<Void> {
        guard current?.cancellation === exchange, machine.acceptsInterimResponse else { return context.eventLoop.makeSucceededVoidFuture() }
        timing.wrote()
        let flushed = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: flushed)
        return flushed.futureResult
    }
}

extension HTTPResponseHead {
    /// The head of an interim response, or `nil` for a status that is not passed on.
    ///
    /// It has no content, so nothing may frame any: [RFC 9112 §6](https://www.rfc-editor.org/rfc/rfc9112#section-6).
    init?(interim response: HTTPResponse) {
        guard (102...199).contains(response.status.code) else { return nil }
        var headers = HTTPHeaders()
        headers.reserveCapacity(response.headerFields.count)
        for field in response.headerFields.removingHopByHopFields() where field.name != .contentLength {
            headers.add(name: field.name.rawName, value: field.value)
        }
        self.init(version: .http1_1, status: HTTPResponseStatus(response.status), headers: headers)
    }
}
