// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardEventLoops
internal import HoardMessages
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2

extension StreamHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .headers(let fields):
            switch machine.fieldsArrived(endsStream: fields.endStream) {
            case .begin: begin(fields.headers, endsStream: fields.endStream, context: context)
            // Trailer fields are dropped, as a recipient may: RFC 9110 §6.5.1.
            case .endRequest: requestEnded()
            case .ignore: break
            }
        case .data(let content):
            guard machine.contentArrived(), case .byteBuffer(let bytes) = content.data else { return }
            received(bytes, context: context)
            guard content.endStream else { return }
            machine.requestEnded()
            requestEnded()
        default:
            break
        }
    }

    private func begin(_ headers: HPACKHeaders, endsStream: Bool, context: ChannelHandlerContext) {
        let start = context.eventLoop.now
        guard connection.beginServing() else {
            record = StreamRecord(request: .invalid, start: start, status: 503)
            reset(.refusedStream, context: context)
            return
        }
        isServed = true
        let head: StreamRequestHead
        do throws(StreamRequestHead.Refusal) {
            head = try StreamRequestHead(headers, endsStream: endsStream, isSecure: info.isSecure, limits: configuration)
        } catch {
            record = StreamRecord(request: .invalid, start: start)
            switch error {
            case .malformed:
                record?.status = 400
                reset(.protocolError, context: context)
            case .rejected(let rejection):
                reject(rejection, isHead: headers.first(name: ":method") == "HEAD", context: context)
                if output.isWaiting { armTimer(context: context) }
            }
            return
        }
        record = StreamRecord(request: .head(head.head), start: start)
        awaitsContinue = head.expectsContinue
        opensWebSocket = head.opensWebSocket
        let pipe = endsStream ? nil : makeBody(context: context)
        body = pipe
        let request = HTTPServerRequest(
            head: head.head,
            body: pipe.map { HTTPBody($0, length: head.contentLength) } ?? .empty,
            version: .http2,
            remoteAddress: info.remoteAddress,
            clientCertificate: info.clientCertificate,
            opensWebSocket: head.opensWebSocket,
            sendInterimResponse: interimResponseSender(context: context)
        )
        switch endsStream ? server.responder.immediate?.begin(request) : nil {
        case .response(let response): respond(response, to: request, context: context)
        case .later(let answer): startAnswer(to: request, context: context, answer)
        case nil: startHandler(for: request, context: context)
        }
        if machine.isReceiving || output.isWaiting || !machine.hasResponseEnded { armTimer(context: context) }
    }

    private func received(_ bytes: ByteBuffer, context: ChannelHandlerContext) {
        awaitsContinue = false
        receivedByteCount += bytes.readableBytes
        if !opensWebSocket, let limit = configuration.maximumRequestContentByteCount, receivedByteCount > limit, body != nil {
            dropBody(.tooLarge)
            // A response that has begun goes on, as over HTTP/1.1. If it is made of the content, it fails by itself.
            guard machine.acceptsInterimResponse else { return }
            cancellation.cancel()
            let isHead = if case .head(let head)? = record?.request { head.method == .head } else { false }
            reject(.contentTooLarge, isHead: isHead, context: context)
        } else if let body, bytes.readableBytes > 0 {
            isBodyFull = !body.push(bytes)
        }
    }

    private func requestEnded() {
        awaitsContinue = false
        body?.finish()
    }

    private func makeBody(context: ChannelHandlerContext) -> BodyPipe {
        BodyPipe(ofRequestIn: context.eventLoop, highWatermark: configuration.bodyBufferByteCount) { pipe in
            self.bodyIsWanted(pipe, context: context)
        }
    }

    /// The reader of the request's content waits for it.
    private func bodyIsWanted(_ pipe: BodyPipe, context: ChannelHandlerContext) {
        guard body === pipe, context.channel.isActive else { return }
        isBodyFull = false
        if awaitsContinue, machine.acceptsInterimResponse {
            awaitsContinue = false
            context.writeAndFlush(Self.wrapOutboundOut(.headers(.init(headers: [":status": "100"]))), promise: nil)
        }
        resumeReading(context: context)
    }

    /// Returns a handler that sends interim responses, and does nothing when the final response has begun.
    private func interimResponseSender(context: ChannelHandlerContext) -> InterimResponseHandler {
        let handler = LoopBoundHandler(self, context)
        return { response in
            guard let headers = HPACKHeaders(interim: response) else { return }
            // A response that cannot be sent any more is no failure of the one that is to come.
            try? await handler.perform { handler, context in
                guard handler.machine.acceptsInterimResponse, context.channel.isActive, handler.connection.takes(headers) else { return nil }
                return context.writeAndFlush(Self.wrapOutboundOut(.headers(.init(headers: headers))))
            }
        }
    }

    // MARK: Time

    /// Looks after a while whether the client is too slow.
    func armTimer(context: ChannelHandlerContext) {
        guard timer == nil, context.channel.isActive else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: configuration.samplingInterval) {
            self.timer = nil
            self.sample(context: context)
            self.armTimer(context: context)
        }
    }

    private func sample(context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        if sending.sample(isWaiting: output.isWaiting, byteCount: output.sentByteCount, now: now) {
            reset(.cancel, context: context)
            return
        }
        if let isOver = tunnel?.isOver(byteCount: receivedByteCount + output.sentByteCount, now: now) {
            if isOver { reset(.cancel, context: context) }
            return
        }
        // A client may wait until its WebSocket is open before it sends anything.
        guard !opensWebSocket else { return }
        let isClientWaitedFor = machine.isReceiving && body?.isReaderWaiting == true
        if receiving.sample(isWaiting: isClientWaitedFor, byteCount: receivedByteCount, now: now) {
            dropBody(.timedOut)
        }
    }
}

extension HTTPServer.Configuration {
    /// The time between two checks of a transfer.
    var samplingInterval: TimeAmount {
        var shortest = min(TimeAmount(bodyTimeout), TimeAmount(writeTimeout), minimumBytesPerSecond > 0 ? TransferWatch.window : .nanoseconds(.max))
        if let webSockets {
            shortest = min(shortest, TimeAmount(webSockets.idleTimeout), TimeAmount(webSockets.totalTimeout ?? webSockets.idleTimeout))
        }
        return .nanoseconds(max(1, shortest.nanoseconds / 4))
    }
}
