// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import HoardMessages
internal import HoardNIO
internal import HoardTransports
internal import NIOCore

/// A plain miss, or a plain request for a response that memory has stale, on its way through the proxy by its bytes: without a task, and without a parser on either side.
///
/// The origin gets the fields of the client as they came. A response that comes in one piece goes back as it came if it forbids storing, is stored
/// unchanged, or confirms memory's response. Otherwise it is parsed first. Anything else is answered in the ordinary way, which finds out that the
/// request has been sent already: ``RelayedMiss``.
final class ProxyRelay: Relay, RelayReceiver {
    private let handler: ProxyHandler
    private let route: ProxyRoute
    private let question: Question
    private let ticket: OriginGroup.RelayTicket
    private let head: ByteBuffer
    private let info: ConnectionInfo
    private let eventLoop: any EventLoop
    private let writer: RelayWriter
    /// `nil`: it has left, or has got its answer.
    private var client: (any RelayedClient)?
    private var outcome: Outcome?
    /// Whether the response has been taken. The connection may serve others then.
    private var isTaken = false

    /// The answer that a response brings which has been taken.
    private enum Outcome {
        case passedOn(ByteBuffer, ImmediateAnswer)
        case answer(HTTPCache.EarlyAnswer, HTTPServerRequest)
    }

    /// Sends a request on.
    ///
    /// - Parameters:
    ///   - request: Plain, with GET, for `route`, which changes requests only as the cache and the upstream want.
    ///   - targetURI: As keys have it.
    ///   - head: The bytes of the request.
    /// - Returns: `nil` if that is not possible now. Then nothing has been done.
    static func begin(
        _ request: ScannedRequest,
        targetURI: String,
        head: ByteBuffer,
        on route: ProxyRoute,
        _ handler: ProxyHandler,
        _ writer: RelayWriter,
        for client: any RelayedClient,
        on eventLoop: any EventLoop
    ) -> ProxyRelay? {
        guard let ticket = route.group.relayTicket() else { return nil }
        guard var bytes = writer.request(request, head, to: ticket.origin, of: route.upstream, from: client),
            let question = question(targetURI: targetURI, head: head, on: route, handler, client.info)
        else {
            route.group.withdraw(ticket)
            return nil
        }
        writer.writeEnd(ofRequest: &bytes, asking: question.miss)
        let relay = ProxyRelay(handler, route, question, ticket, head, client, writer, eventLoop)
        guard ticket.connection.send(bytes, to: relay) else {
            // It has just ended, and leaves the pool by itself.
            handler.cache.forget(question.miss)
            route.group.withdraw(ticket, givesBack: false)
            return nil
        }
        route.group.sent(ticket)
        return relay
    }

    /// A question to the origin.
    private struct Question {
        let miss: HTTPCache.EarlyMiss
        /// The request, if it had to be parsed for that.
        var request: HTTPServerRequest?
    }

    private static func question(
        targetURI: String,
        head: ByteBuffer,
        on route: ProxyRoute,
        _ handler: ProxyHandler,
        _ info: ConnectionInfo
    ) -> Question? {
        let fields = { @Sendable in HTTPServerRequest(plainHead: head, from: info).map { handler.selectingFields(of: $0, on: route) } ?? [:] }
        switch handler.cache.beginMiss(targetURI: targetURI, selectingFields: fields) {
        case .miss(let miss): return Question(miss: miss)
        case .found:
            guard let request = HTTPServerRequest(plainHead: head, from: info) else { return nil }
            return handler.cache.beginValidation(handler.cacheRequest(request, on: route)).map { Question(miss: $0, request: request) }
        case .nothing: return nil
        }
    }

    private init(
        _ handler: ProxyHandler,
        _ route: ProxyRoute,
        _ question: Question,
        _ ticket: OriginGroup.RelayTicket,
        _ head: ByteBuffer,
        _ client: any RelayedClient,
        _ writer: RelayWriter,
        _ eventLoop: any EventLoop
    ) {
        self.handler = handler
        self.route = route
        self.question = question
        self.ticket = ticket
        self.head = head
        self.client = client
        self.writer = writer
        info = client.info
        self.eventLoop = eventLoop
    }

    // MARK: The response

    func take(_ bytes: ByteBuffer) -> TakenResponse? {
        guard let client else { return nil }
        var output = client.takeOutput()
        let (scanned, isPassedOn) = bytes.withUnsafeReadableBytes { bytes -> (RelayedHeads.Response?, Bool) in
            guard let scanned = RelayedHeads.copy(response: bytes, to: &output) else { return (nil, false) }
            return (scanned, passOn(scanned, bytes, &output, to: client))
        }
        if !isPassedOn { client.giveBack(output) }
        guard let scanned, isPassedOn || parse(scanned, bytes) else { return nil }
        isTaken = true
        let keepAlive = scanned.keepAlive.flatMap { bytes.getString(at: bytes.readerIndex + $0.lowerBound, length: $0.count) }
        return TakenResponse(keepAlive: keepAlive)
    }

    /// Has a response go back as it came if it forbids storing or is stored as it came, or memory's response if it confirms that one.
    private func passOn(_ scanned: RelayedHeads.Response, _ bytes: UnsafeRawBufferPointer, _ output: inout ByteBuffer, to client: any RelayedClient)
        -> Bool
    {
        guard scanned.isCopied else { return false }
        let (miss, status) = (question.miss, scanned.status)
        if miss.isOfStale {
            if status == 304 { return confirm(miss, &output, to: client) }
            // The stored response may be the answer to an error.
            if status >= 500 { return false }
        }
        let content = UnsafeRawBufferPointer(rebasing: bytes[scanned.headByteCount...])
        let report: AnswerReport
        if let prohibition = scanned.cacheControl.flatMap({ handler.cache.prohibition(byCacheControl: Array(bytes[$0]), status: status) }) {
            // It may mean that the stored response has to go.
            if miss.isOfStale { return false }
            report = handler.cache.passedOn(miss, because: prohibition)
            writer.writeEnd(ofResponse: &output, status: status, because: prohibition, announcesClose: client.beginAnswer())
        } else if let stored = store(output, content, miss) {
            report = stored.report
            writer.writeEnd(
                ofStoredResponse: &output,
                status: status,
                after: miss,
                timeToLive: stored.timeToLive,
                announcesClose: client.beginAnswer()
            )
        } else {
            return false
        }
        output.writeBytes(content)
        let answer = ImmediateAnswer(status: status, contentByteCount: scanned.contentByteCount, note: ExchangeNote(report))
        outcome = .passedOn(output, answer)
        return true
    }

    /// - Parameter output: The head of a 304. The answer takes its place.
    private func confirm(_ miss: HTTPCache.EarlyMiss, _ output: inout ByteBuffer, to client: any RelayedClient) -> Bool {
        let confirmed = output.withUnsafeReadableBytes { head in
            PlainResponseHead(copied: head) { _ in false }.flatMap { handler.cache.confirm(miss, by: $0) }
        }
        guard let (hit, report) = confirmed else { return false }
        output.clear()
        if !writer.confirmed.write(hit, to: &output, announcesClose: client.beginAnswer()), let content = hit.body.bytesAtHand {
            output.writeImmutableBuffer(content)
        }
        let answer = ImmediateAnswer(status: hit.status, contentByteCount: hit.contentByteCount, note: ExchangeNote(report))
        outcome = .passedOn(output, answer)
        return true
    }

    private func store(_ copied: ByteBuffer, _ content: UnsafeRawBufferPointer, _ miss: HTTPCache.EarlyMiss)
        -> (report: AnswerReport, timeToLive: Double)?
    {
        copied.withUnsafeReadableBytes { head in
            PlainResponseHead(copied: head) { !UnjudgedFields.contains($0) }.flatMap { handler.cache.store(miss, $0, content) }
        }
    }

    /// Parses request and response, and has the cache decide.
    private func parse(_ scanned: RelayedHeads.Response, _ bytes: ByteBuffer) -> Bool {
        var content = bytes
        content.moveReaderIndex(forwardBy: scanned.headByteCount)
        let head = bytes.withUnsafeReadableBytes { HTTPResponse(plainHead: UnsafeRawBufferPointer(rebasing: $0[..<scanned.headByteCount])) }
        guard var head else { return false }
        if route.upstream.tellsOfClient { ForwardedClient.confine(&head) }
        guard let request = question.request ?? HTTPServerRequest(plainHead: self.head, from: info),
            let answer = handler.cache.answer(question.miss, to: handler.cacheRequest(request, on: route), with: head, content)
        else { return false }
        outcome = .answer(answer, request)
        return true
    }

    func finish() {
        route.group.answered(ticket)
        switch outcome.take() {
        case nil: break
        case .passedOn(let output, let answer): client.take()?.answer(output, with: answer)
        case .answer(.response(let response), let request): client.take()?.answer(handler.answer(response), to: request)
        case .answer(.responseToStore(let response, let store), let request):
            let relay = NIOLoopBound(self, eventLoop: eventLoop)
            let answer = handler.answer(response)
            // It rarely suspends, so that the answer is given before this returns.
            startImmediateTask { [eventLoop] in
                await store()
                let give = { @Sendable in
                    relay.value.client.take()?.answer(answer, to: request)
                    return
                }
                if eventLoop.inEventLoop { give() } else { eventLoop.execute(give) }
            }
        }
    }

    // MARK: The ordinary way

    func handOver(_ exchange: SentExchange) {
        let relayed = RelayedMiss(question.miss, RelayedRequest(exchange, ticket), on: route, cache: handler.cache)
        let handler = handler
        if let client = client.take() {
            return client.handOver(RelayHandover(begin: { handler.begin($0, after: relayed) }, forget: { relayed.forget() }))
        }
        // The client has left: only callers that wait for the same response still want it.
        guard let request = HTTPServerRequest(plainHead: head, from: info) else { return relayed.forget() }
        let task = startTask {
            if case .later(let answer) = handler.begin(request, after: relayed) { _ = await answer() }
        }
        task.cancel()
    }

    func clientLeft() {
        guard client != nil else { return }
        client = nil
        if !isTaken { ticket.connection.handOver() }
    }
}
