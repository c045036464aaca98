// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardMessages
internal import NIOCore
internal import NIOHTTP1

/// Plain requests that are sent on by their bytes.
///
/// As long as one is under way, the connection is as busy as with any exchange, and bytes that arrive are held back, as
/// they might have to be parsed behind it.
extension FrontHandler {
    /// A request that has been sent on.
    struct Relaying {
        let head: ByteBuffer
        let start: NIODeadline
        /// `nil` while it is being begun.
        var relay: (any Relay)?
    }

    /// Has a request sent on.
    ///
    /// - Parameter head: Its bytes, in memory of their own.
    /// - Returns: Whether it has been. It may have come to its end already.
    func beginRelay(_ scanned: RequestScanner.Head, _ head: ByteBuffer, _ responder: any ImmediateResponder, context: ChannelHandlerContext) -> Bool {
        connection.beginUnparsedExchange()
        relaying = Relaying(head: head, start: context.eventLoop.now)
        let relay = head.withUnsafeReadableBytes { bytes in
            responder.relay(scannedRequest(scanned, in: bytes), head: head, for: self, on: context.eventLoop)
        }
        guard let relay else {
            relaying = nil
            connection.relayIsWithdrawn()
            return false
        }
        relaying?.relay = relay
        return true
    }

    /// Keeps bytes that arrive until the response has been given.
    func hold(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        held.writeImmutableBuffer(bytes)
        connection.isInputHeld = true
    }

    /// Goes on with the bytes that have been held.
    private func goOn(context: ChannelHandlerContext) {
        connection.isInputHeld = false
        if held.readableBytes > 0, let responder {
            var bytes = held
            held = ByteBuffer()
            serve(&bytes, responder, context: context)
        }
        channelReadComplete(context: context)
        if isEndHeld, relaying == nil {
            isEndHeld = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if let context = connection.ownContext { connection.resumeReading(context: context) }
    }

    /// The client has left, or is sent away, before its request was answered.
    func abandonRelay(context: ChannelHandlerContext) {
        guard let relaying = self.relaying.take() else { return }
        held = ByteBuffer()
        let abandoned = ImmediateAnswer(status: ExchangeReport.abandonedStatus, contentByteCount: 0, note: nil)
        var report = report(abandoned, to: relaying, now: context.eventLoop.now)
        report.isComplete = false
        report.isAbandoned = true
        observer?(report)
        relaying.relay?.clientLeft()
    }

    private func report(_ answer: ImmediateAnswer, to relaying: Relaying, now: NIODeadline) -> ExchangeReport {
        var report = report(answer, to: relaying.head)
        report.timeToFirstByte = .nanoseconds((now - relaying.start).nanoseconds)
        report.duration = report.timeToFirstByte
        return report
    }
}

extension FrontHandler: RelayedClient {
    var info: ConnectionInfo { connection.info }

    func takeOutput() -> ByteBuffer { scratch.takeOutput() }

    func giveBack(_ output: ByteBuffer) { scratch.output = output }

    func beginAnswer() -> Bool { connection.machine.responseStarted(announcesClose: false) }

    func answer(_ output: ByteBuffer, with answer: ImmediateAnswer) {
        guard let relaying = self.relaying.take(), let context = ownContext else { return }
        context.writeAndFlush(Self.wrapOutboundOut(output), promise: nil)
        connection.timing.wrote(byteCount: output.readableBytes)
        let isWritten = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0
        giveBack(output)
        let now = context.eventLoop.now
        let reports = observer == nil ? [] : [report(answer, to: relaying, now: now)]
        if isWritten {
            // A write that fails closes the connection before the flush returns.
            connection.report(reports, isComplete: !connection.machine.isClosed, since: relaying.start, now: now)
            connection.relayIsWritten()
        } else {
            connection.awaitWrites(reporting: reports, since: relaying.start)
        }
        goOn(context: context)
    }

    func answer(_ response: HTTPServerResponse, to request: HTTPServerRequest) {
        guard relaying != nil else { return }
        let plan = ResponsePlan(response, to: request, keepsAlive: !beginAnswer(), date: HTTPDate(connection.clock.now()).description)
        var output = takeOutput()
        output.writeHead(plan.head)
        let content = plan.content == .none ? nil : plan.body.bytesAtHand
        if let content { output.writeImmutableBuffer(content) }
        let status = Int(plan.head.status.code)
        answer(output, with: ImmediateAnswer(status: status, contentByteCount: content?.readableBytes ?? 0, note: response.note))
    }

    func handOver(_ handover: RelayHandover) {
        guard let relaying = self.relaying.take(), let context = ownContext else { return handover.forget() }
        connection.relayIsWithdrawn()
        connection.handover = (handover, relaying.start)
        pass(Self.wrapInboundOut(relaying.head), context: context)
        // The parser has not taken the head for the request that the scanner has seen.
        if let handover = connection.handover.take() { handover.0.forget() }
        goOn(context: context)
    }
}

extension ByteBuffer {
    /// Writes the head of a response as an encoder does.
    fileprivate mutating func writeHead(_ head: HTTPResponseHead) {
        writeStaticString("HTTP/1.1 ")
        writeString(String(head.status.code))
        writeStaticString(" ")
        writeString(head.status.reasonPhrase)
        writeStaticString("\r\n")
        for (name, value) in head.headers {
            writeString(name)
            writeStaticString(": ")
            writeString(value)
            writeStaticString("\r\n")
        }
        writeStaticString("\r\n")
    }
}
