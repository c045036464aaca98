// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOSSL

    /// The origin closed a connection that it had kept before it answered the next request on it.
    struct LostOnReusedConnection: Error {}

    /// Tells the loss of a request on a connection that had served another one before from every other loss.
    ///
    /// AsyncHTTPClient repeats no request, and reports a closed connection by the same error whether it was new or old. This handler stands between
    /// HTTP and the client, and counts the exchanges of its connection. If one after the first ends before any part of a response has come, it
    /// reports ``LostOnReusedConnection`` ahead of the end.
    final class ReusedConnectionHandler: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        private var exchangeCount = 0
        private var awaitsResponse = false

        /// Puts a handler into the pipeline of a connection that the client has made.
        static func add(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(ReusedConnectionHandler(), position: .after(decoder))
            }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .head = Self.unwrapOutboundIn(data) {
                exchangeCount += 1
                awaitsResponse = true
            }
            context.write(data, promise: promise)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            awaitsResponse = false
            context.fireChannelRead(data)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // An origin that leaves TLS without a goodbye: the end of the connection follows, and tells whether a request is lost.
            if case NIOSSLError.uncleanShutdown = error { return context.fireErrorCaught(error) }
            let isLoss = takeLoss() && error is IOError
            context.fireErrorCaught(isLoss ? LostOnReusedConnection() : error)
        }

        func channelInactive(context: ChannelHandlerContext) {
            if takeLoss() { context.fireErrorCaught(LostOnReusedConnection()) }
            context.fireChannelInactive()
        }

        /// Whether a request is being lost on a connection that is not new. Other errors, such as a head that breaks off, come before the end and are
        /// no loss, so this is true once at most.
        private func takeLoss() -> Bool {
            defer { awaitsResponse = false }
            return awaitsResponse && exchangeCount > 1
        }
    }
#endif
