// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardEventLoops
internal import HoardHTTP
internal import HoardWire
internal import NIOCore
internal import NIOHTTP1

extension ClientConnectionHandler {
    /// Bytes have arrived; gives the parser those that belong to a response.
    ///
    /// - Parameter parse: Gives the parser bytes. The parts that it makes of them have come here when this returns.
    func bytesArrived(_ buffer: ByteBuffer, context: ChannelHandlerContext, parse: (ByteBuffer) -> Void) {
        var buffer = buffer
        if machine.isReceiving {
            machine.bytesArrived()
            timing.progressed(now: context.eventLoop.now)
        }
        if relay != nil { return relayReceived(buffer) }
        while !machine.isClosed {
            let expectation = machine.expectation
            switch splitter.next(from: &buffer, expecting: expectation) {
            case .parse(let part) where current?.isTunnel == true:
                receive(part, context: context)
            case .parse(let part):
                parse(part)
                // A response in chunks ends with a line feed, and with nothing else.
                if expectation == .chunked, machine.expectation == .nothing, part.readableBytesView.last != UInt8(ascii: "\n") {
                    machine.strayBytesArrived()
                }
            case .stray:
                machine.strayBytesArrived()
                return
            case .headTooLong:
                close(ExchangeError.invalidResponse, context: context)
            case .done:
                return
            }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !machine.isClosed else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head) where (100...199).contains(head.status.code) && head.status.code != 101:
            receive(interim: head, context: context)
        case .head(let head):
            receive(head, context: context)
        case .body(let bytes):
            receive(bytes, context: context)
        case .end(let trailers):
            // The parser takes the head that opens a WebSocket for a whole response.
            if current?.isTunnel != true { end(trailers, context: context) }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        relayPauses()
        switch machine.readCompleted() {
        case .none:
            break
        case .release:
            timing.becameIdle(announcedIdleTime: current?.announcedIdleTime ?? relay?.taken?.announcedIdleTime, now: context.eventLoop.now)
            let finished = current.take()
            let relayed = relay.take()
            // The connection is released first, so that a reader that learns of the end finds it free.
            if let owner { owner.pool.connectionReleased(owner.connection) }
            finished?.finish()
            relayed?.receiver.finish()
            resumeReading(context: context)
        case .close:
            machine.closed()
            current.take()?.finish()
            relay.take()?.receiver.finish()
            context.close(promise: nil)
        }
        context.fireChannelReadComplete()
    }

    private func receive(interim head: HTTPResponseHead, context: ChannelHandlerContext) {
        guard machine.interimResponseArrived() == .deliver, let status = HTTPResponse.Status(head.status), let fields = HTTPFields(head.headers)
        else {
            close(ExchangeError.invalidResponse, context: context)
            return
        }
        timing.interimResponseArrived(now: context.eventLoop.now)
        current?.exchange.receive(interim: HTTPResponse(status: status, headerFields: fields))
    }

    private func receive(_ head: HTTPResponseHead, context: ChannelHandlerContext) {
        guard let exchange = current?.exchange,
            let framing = try? ResponseFraming(
                head,
                isResponseToHead: exchange.request.head.method == .HEAD,
                opensWebSocket: exchange.request.opensWebSocket
            ), machine.headArrived(framing)
        else {
            close(ExchangeError.invalidResponse, context: context)
            return
        }
        timing.headArrived(now: context.eventLoop.now)
        armTimer(context: context)
        current?.announcedIdleTime = framing.announcedIdleTime
        guard framing.content != .none else {
            current?.response = TransportResponse(head: framing.head, body: .empty)
            return
        }
        guard let connection = owner?.connection else { return }
        let content = makeContent(context: context)
        current?.content = content
        let body = content.body(length: framing.content.byteCount, describing: exchange.asTransportError) {
            connection.abandon(exchange)
        }
        if case .webSocket(let sent) = exchange.request.content, framing.head.status == .switchingProtocols {
            current?.isTunnel = true
            timing.tunnelOpened()
            current?.upload = startTask { await connection.upload(sent, of: exchange) }
        }
        exchange.receive(final: TransportResponse(head: framing.head, body: body))
    }

    private func receive(_ bytes: ByteBuffer, context: ChannelHandlerContext) {
        switch machine.contentArrived(byteCount: bytes.readableBytes) {
        case .deliver:
            guard let pipe = current?.content else { return }
            if !pipe.push(bytes) { current?.isBodyFull = true }
        case .drop: break
        case .fail: close(ExchangeError.invalidResponse, context: context)
        }
    }

    private func end(_ trailers: HTTPHeaders?, context: ChannelHandlerContext) {
        guard machine.responseEnded() else {
            close(ExchangeError.connectionClosed, context: context)
            return
        }
        guard let trailers, let content = current?.content else { return }
        guard let fields = HTTPFields(trailers) else {
            machine.strayBytesArrived()
            return
        }
        content.setTrailers(fields)
    }

    /// Ends a response whose content has come whole, at a `Content-Length` among its trailers, where the parser gives up.
    ///
    /// The field is ignored, as one that has no business there ([RFC 9110 §6.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1)). The other
    /// trailers are dropped with it, and the connection serves no further exchange.
    func endWithoutTrailers(context: ChannelHandlerContext) {
        machine.strayBytesArrived()
        end(nil, context: context)
    }

    private func makeContent(context: ChannelHandlerContext) -> BodyPipe {
        let handler = LoopBoundHandler(self, context)
        return BodyPipe(highWatermark: limits.bodyBufferByteCount, alreadyRead: TransportError.alreadyRead) { pipe in
            handler.run { $0.bodyIsWanted(pipe, context: $1) }
        }
    }

    /// The reader of a response's content waits for it, or has taken enough of it.
    private func bodyIsWanted(_ pipe: BodyPipe, context: ChannelHandlerContext) {
        guard current?.content === pipe else { return }
        current?.isBodyFull = false
        timing.progressed(now: context.eventLoop.now)
        resumeReading(context: context)
    }
}

extension ResponseFraming.Content {
    /// The number of bytes, if it is known beforehand.
    fileprivate var byteCount: Int? {
        switch self {
        case .none: 0
        case .bytes(let count): count
        case .chunked, .untilClose: nil
        }
    }
}
