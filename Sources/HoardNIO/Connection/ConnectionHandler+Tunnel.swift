// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages
internal import NIOCore
internal import NIOHTTP1

/// WebSockets, of which the server knows no more than that bytes go both ways: those of the client are the content of the request, those to it the
/// content of the response, both without framing.
extension ConnectionHandler {
    /// Writes the head that opens a WebSocket, behind which nothing on the connection is HTTP.
    func openTunnel(_ head: HTTPResponseHead, promise: EventLoopPromise<Void>?, context: ChannelHandlerContext) {
        guard let limits = configuration.webSockets else { return }
        let now = context.eventLoop.now
        current?.account?.responseStarted(status: Int(head.status.code), now: now)
        _ = machine.responseStarted(announcesClose: false)
        machine.tunnelOpened()
        current?.tunnel = TunnelWatch(limits, now: now)
        current?.missingByteCount = nil
        context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        if machine.hasInputClosed { current?.body?.finish() }
        hasRemovedParser = true
        // It passes on the bytes that it has got and not looked at.
        if let parser = try? context.pipeline.syncOperations.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self) {
            context.pipeline.syncOperations.removeHandler(context: parser, promise: nil)
        }
        resumeReading(context: context)
    }

    /// The client has sent something through the WebSocket.
    func receiveInTunnel(_ bytes: ByteBuffer, context: ChannelHandlerContext) {
        guard current?.tunnel != nil, machine.isReceiving, !machine.isDraining, let body = current?.body else { return }
        timing.receivedContent(byteCount: bytes.readableBytes)
        current?.receivedByteCount += bytes.readableBytes
        current?.isBodyFull = !body.push(bytes)
    }

    /// The client sends no more through the WebSocket.
    func endTunnelInput(context: ChannelHandlerContext) {
        current?.body?.finish()
        perform(machine.requestEnded(), context: context)
        if !machine.isClosed { context.channel.probesPeer() }
    }
}
