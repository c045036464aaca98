// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages
internal import NIOCore
internal import NIOHTTP1

extension ConnectionHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hasRemovedParser { return receiveInTunnel(FrontHandler.unwrapInboundIn(data), context: context) }
        var part = Self.unwrapInboundIn(data)
        hasPartialHeadInParser = false
        switch part {
        case .head(var head):
            // Bytes behind a request for a WebSocket need not be HTTP.
            let mayEndHTTP = configuration.webSockets != nil && head.headers.contains(name: "upgrade")
            place = place == .unknown || mayEndHTTP ? .unknown : .init(after: head)
            if let method = foreignMethod.take() {
                head.method = .RAW(value: method)
                part = .head(head)
            }
        case .body: break
        case .end: place = place == .unknown ? .unknown : .requestStart
        }
        receive(part, context: context)
    }

    /// Ends a request whose content has come whole, at a `Content-Length` among its trailers, where the parser gives up.
    ///
    /// The field is ignored ([RFC 9110 §6.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1)). The connection serves no further request.
    func endRequestAtTrailers(context: ChannelHandlerContext) {
        place = .unknown
        _ = machine.closeAfterExchange()
        receive(.end(nil), context: context)
    }

    /// Serves the queued parts, if the exchange before has ended.
    func serveQueue(context: ChannelHandlerContext) {
        // Serving can end an exchange at once, which would serve again from within.
        guard !isServingQueue else { return }
        isServingQueue = true
        var isAnythingServed = false
        while let next = nextQueued() {
            isAnythingServed = true
            switch next {
            case .part(let part): process(part, context: context)
            case .rejection(let rejection): reject(rejection, context: context)
            }
        }
        isServingQueue = false
        if isAnythingServed { context.fireChannelReadComplete() }
        if machine.isIdle, queue.isEmpty {
            if machine.hasInputClosed {
                context.close(promise: nil)
            } else {
                timing.becameIdle(now: context.eventLoop.now)
                if hasPartialHead || hasPartialHeadInParser { timing.headBytesArrived(now: context.eventLoop.now) }
                armTimer(context: context)
            }
        }
        resumeReading(context: context)
    }

    private func nextQueued() -> Queued? {
        switch queue.first {
        case nil:
            return nil
        case .rejection:
            return machine.isIdle ? queue.removeFirst() : nil
        case .part(let part):
            switch machine.partArrived(startsRequest: part.isHead, afterQueuedParts: false) {
            case .process: return queue.removeFirst()
            case .enqueue: return nil
            case .discard:
                queue.removeAll()
                return nil
            }
        }
    }

    private func receive(_ part: HTTPServerRequestPart, context: ChannelHandlerContext) {
        switch machine.partArrived(startsRequest: part.isHead, afterQueuedParts: !queue.isEmpty) {
        case .process: process(part, context: context)
        case .enqueue: queue.append(.part(part))
        case .discard: break
        }
    }

    private func process(_ part: HTTPServerRequestPart, context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            begin(head, context: context)
        case .body(let bytes):
            current?.missingByteCount? -= bytes.readableBytes
            current?.awaitsContinue = false
            current?.receivedByteCount += bytes.readableBytes
            timing.receivedContent(byteCount: bytes.readableBytes)
            if machine.isDraining {
                perform(machine.contentDropped(byteCount: bytes.readableBytes), context: context)
            } else if let limit = configuration.maximumRequestContentByteCount, current?.receivedByteCount ?? 0 > limit {
                giveUpContent(context: context)
            } else if let body = current?.body {
                hold(bytes)
                if body.isReaderWaiting || current?.heldContent.readableBytes ?? 0 >= Self.maximumHeldByteCount { handOnContent() }
            }
        case .end:
            handOnContent()
            current?.missingByteCount = 0
            current?.awaitsContinue = false
            // The client's part of a WebSocket begins after the answer.
            if current?.opensWebSocket == false { current?.body?.finish() }
            perform(machine.requestEnded(), context: context)
        }
    }

    private static let maximumHeldByteCount = 8 << 10

    private func hold(_ content: ByteBuffer) {
        if current?.heldContent.readableBytes == 0 { current?.heldContent = content } else { current?.heldContent.writeImmutableBuffer(content) }
    }

    /// Gives the body the content that is held.
    private func handOnContent() {
        guard let content = current?.heldContent, content.readableBytes > 0, let body = current?.body else { return }
        current?.heldContent = ByteBuffer()
        current?.isBodyFull = !body.push(content)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        handOnContent()
        context.fireChannelReadComplete()
    }

    /// The request's content, whose length was not announced, is longer than the server accepts.
    private func giveUpContent(context: ChannelHandlerContext) {
        guard current?.isContentTooLarge == false else { return }
        current?.isContentTooLarge = true
        current?.body?.fail(RequestBodyError(.tooLarge))
        perform(machine.requestFailed(), context: context)
    }

    private func begin(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        let request: RequestHead
        do throws(RequestRejection) {
            request = try RequestHead(head, isSecure: info.isSecure, limits: configuration)
        } catch {
            reject(error, isHead: head.method == .HEAD, context: context)
            return
        }
        machine.exchangeStarted(keepsAlive: request.keepsAlive && !isLastRequestDue)
        let cancellation = ExchangeCancellation()
        let now = context.eventLoop.now
        let handover = self.handover.take()
        let pipe = request.content == .none && !request.opensWebSocket ? nil : makeBody(context: context)
        current = Current(
            account: observer == nil ? nil : ExchangeAccount(request: request.head, version: request.version, start: handover?.start ?? now),
            body: pipe,
            cancellation: cancellation,
            awaitsContinue: request.expectsContinue,
            missingByteCount: request.content.byteCount,
            isHead: head.method == .HEAD,
            opensWebSocket: request.opensWebSocket
        )
        let exchange = Exchange(
            request: HTTPServerRequest(
                head: request.head,
                body: pipe.map { HTTPBody($0, length: request.opensWebSocket ? nil : request.content.byteCount) } ?? .empty,
                version: request.version,
                remoteAddress: info.remoteAddress,
                clientCertificate: info.clientCertificate,
                opensWebSocket: request.opensWebSocket,
                sendInterimResponse: interimResponseSender(cancellation, version: request.version, context: context)
            ),
            keepsAlive: request.keepsAlive,
            cancellation: cancellation,
            begin: handover?.0.begin
        )
        timing.exchangeStarted(now: now)
        armTimer(context: context)
        context.fireChannelRead(Self.wrapInboundOut(exchange))
        let isWhole = handover != nil || queue.contains { if case .part(.end) = $0 { true } else { false } }
        if machine.hasInputClosed, !isWhole { giveUpRequest(context: context) }
    }

    private func makeBody(context: ChannelHandlerContext) -> BodyPipe {
        BodyPipe(ofRequestIn: context.eventLoop, highWatermark: configuration.bodyBufferByteCount) { pipe in
            self.bodyIsWanted(pipe, context: context)
        }
    }

    /// The reader of a request's content waits for it.
    private func bodyIsWanted(_ pipe: BodyPipe, context: ChannelHandlerContext) {
        guard current?.body === pipe else { return }
        current?.isBodyFull = false
        handOnContent()
        timing.received(now: context.eventLoop.now)
        if current?.awaitsContinue == true, machine.acceptsInterimResponse {
            current?.awaitsContinue = false
            context.writeAndFlush(Self.wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
        resumeReading(context: context)
    }
}

extension RequestHead.Content {
    /// The number of bytes, if it is known beforehand.
    var byteCount: Int? {
        switch self {
        case .none: 0
        case .bytes(let count): count
        case .chunked: nil
        }
    }
}

extension HTTPServerRequestPart {
    fileprivate var isHead: Bool {
        if case .head = self { return true }
        return false
    }
}
