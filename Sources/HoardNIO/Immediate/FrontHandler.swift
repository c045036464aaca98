// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore
internal import NIOHTTP1

/// The first handler of an HTTP/1 connection. Answers plain requests by their bytes, and passes everything else on to the parser.
///
/// It looks at bytes only where a request begins. It knows that nothing is left in the parser as long as it has understood every request that the
/// parser was given. So it passes on only whole heads, with as many bytes of content as they state. It never waits for content, which has times and
/// limits of its own. A request that it does not understand ends that: from then on, all bytes of the connection are
/// the parser's. So no part of one request can be taken for another one.
///
/// It writes to the network, past the encoder of responses, and only while no exchange is in progress. While the client
/// does not take the bytes that have been written, requests go to the parser, behind which one response is written at a
/// time.
final class FrontHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Heads that are longer are left to the parser.
    private static let maximumHeadByteCount = 8 << 10
    /// Responses to pipelined requests are written when there are as many bytes of them.
    private static let batchByteCount = 64 << 10

    let connection: ConnectionHandler
    let responder: (any ImmediateResponder)?
    let observer: ExchangeObserver?
    private let scanner: RequestScanner
    let scratch = LoopScratch.current
    /// Whether a request begins with the next byte that arrives, or with the first one that is held.
    private var isAtRequest: Bool
    /// The first part of a head, or bytes that have arrived behind a request that has been sent on.
    var held = ByteBuffer()
    private var hasPassedBytes = false
    /// How much content of the last request that the parser was given has not arrived yet.
    private var missingByteCount = 0
    /// The request that has been sent on.
    var relaying: Relaying?
    /// The client sends no more, and the handlers behind this one have not been told.
    var isEndHeld = false
    var attachment: AnyObject?
    private(set) var ownContext: ChannelHandlerContext?

    init(_ connection: ConnectionHandler, responder: Responder) {
        self.connection = connection
        self.responder = responder.immediate
        self.observer = responder.observer
        isAtRequest = responder.immediate != nil
        let limits = connection.configuration
        scanner = RequestScanner(
            maximumByteCount: min(Self.maximumHeadByteCount, limits.maximumTargetByteCount, limits.maximumHeaderByteCount),
            maximumFieldCount: limits.maximumHeaderFieldCount
        )
    }

    func handlerAdded(context: ChannelHandlerContext) {
        ownContext = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        abandonRelay(context: context)
        ownContext = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        abandonRelay(context: context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent, relaying != nil {
            // The parser takes nothing behind it, and the request under way may still have to be parsed.
            isEndHeld = true
            return context.channel.probesPeer()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if connection.machine.isLingering { return }
        if relaying != nil { return hold(Self.unwrapInboundIn(data)) }
        guard isAtRequest, let responder else { return pass(data, context: context) }
        var bytes = Self.unwrapInboundIn(data)
        if missingByteCount > 0 {
            passRequest(&bytes, byteCount: missingByteCount, context: context)
            if bytes.readableBytes == 0 { return }
        }
        if held.readableBytes > 0 {
            held.writeBuffer(&bytes)
            bytes = held
            held = ByteBuffer()
            connection.hasPartialHead = false
        }
        serve(&bytes, responder, context: context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // The handlers behind know nothing of the requests that were answered here.
        guard hasPassedBytes else { return }
        hasPassedBytes = false
        context.fireChannelReadComplete()
    }

    func pass(_ data: NIOAny, context: ChannelHandlerContext) {
        connection.bytesArrived(forParser: true)
        hasPassedBytes = true
        context.fireChannelRead(data)
    }

    /// Passes on so much of a request as there is of it, and the rest when it comes.
    private func passRequest(_ bytes: inout ByteBuffer, byteCount: Int, context: ChannelHandlerContext) {
        guard let part = bytes.readSlice(length: min(byteCount, bytes.readableBytes)) else { return }
        missingByteCount = byteCount - part.readableBytes
        pass(Self.wrapInboundOut(part), context: context)
    }

    // MARK: Serving

    func serve(_ bytes: inout ByteBuffer, _ responder: any ImmediateResponder, context: ChannelHandlerContext) {
        let start = context.eventLoop.now
        var batch = Batch(output: ImmediateOutput(bytes: scratch.takeOutput()), start: start)
        while bytes.readableBytes > 0, !connection.machine.isLingering, !connection.machine.isClosed {
            switch next(in: bytes, responder, &batch, context: context) {
            case .answered(let byteCount):
                bytes.moveReaderIndex(forwardBy: byteCount)
                if batch.output.content != nil || batch.output.bytes.readableBytes >= Self.batchByteCount { write(&batch, context: context) }
                // Behind TLS, only flushed bytes count when the channel decides whether the client takes more.
                if connection.info.isSecure, batch.unflushedByteCount >= Self.batchByteCount { flush(&batch, context: context) }
            case .toOrigin(let scanned):
                flush(&batch, context: context)
                guard let head = bytes.readSlice(length: scanned.byteCount) else { return giveBack(batch) }
                let isReady = connection.isReadyForRequest && context.channel.isWritable
                if isReady, beginRelay(scanned, ByteBuffer(copying: head), responder, context: context) {
                    // Its response may have come already.
                    guard relaying != nil else { continue }
                    hold(bytes)
                    return giveBack(batch)
                }
                pass(Self.wrapInboundOut(head), context: context)
            case .toParser(let byteCount):
                flush(&batch, context: context)
                passRequest(&bytes, byteCount: byteCount, context: context)
            case .incomplete:
                flush(&batch, context: context)
                // The reader's own buffer is used again for the next read.
                held = ByteBuffer(copying: bytes)
                connection.hasPartialHead = true
                connection.bytesArrived(forParser: false)
                return giveBack(batch)
            case .other:
                flush(&batch, context: context)
                isAtRequest = false
                pass(Self.wrapInboundOut(bytes), context: context)
                return giveBack(batch)
            }
        }
        flush(&batch, context: context)
        giveBack(batch)
    }

    private enum Next {
        case answered(byteCount: Int)
        /// Plain, but not to be answered here.
        case toOrigin(RequestScanner.Head)
        /// Understood, but neither to be answered here nor to be sent on.
        case toParser(byteCount: Int)
        case incomplete
        case other
    }

    private func next(in bytes: ByteBuffer, _ responder: any ImmediateResponder, _ batch: inout Batch, context: ChannelHandlerContext) -> Next {
        bytes.withUnsafeReadableBytes { readable in
            switch scanner.scan(readable) {
            case .incomplete: return .incomplete
            case .other: return .other
            case .request(let head):
                guard head.isPlain, connection.isReadyForRequest, isWholeAndAllowed(head, in: readable) else {
                    return .toParser(byteCount: head.requestByteCount)
                }
                if !context.channel.isWritable {
                    flush(&batch, context: context)
                    guard connection.isReadyForRequest, context.channel.isWritable else { return .toParser(byteCount: head.requestByteCount) }
                }
                guard let answer = responder.answer(scannedRequest(head, in: readable), into: &batch.output) else {
                    return head.method == .get ? .toOrigin(head) : .toParser(byteCount: head.requestByteCount)
                }
                batch.answerCount += 1
                if observer != nil, let request = bytes.getSlice(at: bytes.readerIndex, length: head.byteCount) {
                    scratch.reports.append(report(answer, to: request, receivedByteCount: head.contentByteCount ?? 0))
                }
                return .answered(byteCount: head.requestByteCount)
            }
        }
    }

    /// Whether all of the content is there, and no more of it than is taken at all.
    private func isWholeAndAllowed(_ head: RequestScanner.Head, in bytes: UnsafeRawBufferPointer) -> Bool {
        head.requestByteCount <= bytes.count && head.contentByteCount ?? 0 <= connection.configuration.maximumRequestContentByteCount ?? .max
    }

    func scannedRequest(_ head: RequestScanner.Head, in bytes: UnsafeRawBufferPointer) -> ScannedRequest {
        ScannedRequest(
            method: method(head, in: bytes),
            target: UnsafeRawBufferPointer(rebasing: bytes[head.target]),
            host: UnsafeRawBufferPointer(rebasing: bytes[head.host]),
            acceptEncoding: head.acceptEncoding.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) },
            isSecure: connection.info.isSecure,
            belongsToTrace: head.belongsToTrace
        )
    }

    private func method(_ head: RequestScanner.Head, in bytes: UnsafeRawBufferPointer) -> ScannedRequest.Method {
        switch head.method {
        case .get: return .get
        case .head: return .head
        case .query:
            let contentType = head.contentType.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
            let content = UnsafeRawBufferPointer(rebasing: bytes[head.byteCount..<head.requestByteCount])
            return .query(ScannedRequest.Query(contentType: contentType ?? UnsafeRawBufferPointer(start: nil, count: 0), content: content))
        }
    }

    // MARK: Writing

    /// The answers given since the last flush.
    private struct Batch {
        var output: ImmediateOutput
        let start: NIODeadline
        var answerCount = 0
        /// Bytes that have been written since then.
        var unflushedByteCount = 0
    }

    private func write(_ batch: inout Batch, context: ChannelHandlerContext) {
        batch.unflushedByteCount += batch.output.bytes.readableBytes + (batch.output.content?.readableBytes ?? 0)
        context.write(Self.wrapOutboundOut(batch.output.bytes), promise: nil)
        if let content = batch.output.content {
            batch.output.content = nil
            context.write(Self.wrapOutboundOut(content), promise: nil)
        }
        // As long as the network holds on to the bytes, this takes memory of its own.
        batch.output.bytes.clear()
    }

    private func flush(_ batch: inout Batch, context: ChannelHandlerContext) {
        guard batch.answerCount > 0 else { return }
        batch.answerCount = 0
        let isLast = batch.output.bytes.readableBytes > 0
        if isLast { context.write(Self.wrapOutboundOut(batch.output.bytes), promise: nil) }
        connection.answeredAtOnce(byteCount: batch.unflushedByteCount + batch.output.bytes.readableBytes, now: batch.start)
        batch.unflushedByteCount = 0
        context.flush()
        if isWritten(&batch, isLast: isLast, context: context) {
            tellObserver(since: batch.start, context: context)
        } else {
            connection.awaitWrites(reporting: takeReports(since: batch.start, context: context), since: batch.start)
        }
    }

    /// Whether the kernel has taken everything. Empties the output.
    ///
    /// Asking the channel takes longer than most of the other work for a request. But if the output was written last,
    /// and its memory can be used again, the channel has let go of it, so it has written it. With TLS something else
    /// has been written.
    private func isWritten(_ batch: inout Batch, isLast: Bool, context: ChannelHandlerContext) -> Bool {
        let before = batch.output.bytes.withVeryUnsafeBytes { $0.baseAddress }
        batch.output.bytes.clear()
        let after = batch.output.bytes.withVeryUnsafeBytes { $0.baseAddress }
        if isLast, !connection.info.isSecure { return before == after }
        return (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0
    }

    private func giveBack(_ batch: Batch) {
        scratch.output = batch.output.bytes
    }

    // MARK: Reports

    func report(_ answer: ImmediateAnswer, to head: ByteBuffer, receivedByteCount: Int = 0) -> ExchangeReport {
        ExchangeReport(
            request: .bytes(head),
            version: .http1_1,
            isSecure: connection.info.isSecure,
            remoteAddress: connection.info.remoteAddress,
            status: answer.status,
            contentByteCount: answer.contentByteCount,
            receivedByteCount: receivedByteCount,
            isComplete: true,
            timeToFirstByte: .zero,
            duration: .zero,
            note: answer.note
        )
    }

    private func tellObserver(since start: NIODeadline, context: ChannelHandlerContext) {
        guard let observer, !scratch.reports.isEmpty else { return }
        let duration = Duration.nanoseconds((context.eventLoop.now - start).nanoseconds)
        // A write that fails closes the connection before the flush returns.
        let isComplete = !connection.machine.isClosed
        for var report in scratch.reports {
            report.duration = duration
            report.timeToFirstByte = duration
            report.isComplete = isComplete
            observer(report)
        }
        scratch.reports.removeAll(keepingCapacity: true)
    }

    /// The reports that cannot be made before the fate of the responses is known.
    private func takeReports(since start: NIODeadline, context: ChannelHandlerContext) -> [ExchangeReport] {
        guard !scratch.reports.isEmpty else { return [] }
        var taken: [ExchangeReport] = []
        swap(&taken, &scratch.reports)
        let duration = Duration.nanoseconds((context.eventLoop.now - start).nanoseconds)
        for index in taken.indices { taken[index].timeToFirstByte = duration }
        return taken
    }
}

extension ByteBuffer {
    /// The same readable bytes in memory of their own.
    fileprivate init(copying other: ByteBuffer) {
        self.init()
        reserveCapacity(other.readableBytes)
        writeImmutableBuffer(other)
    }
}
