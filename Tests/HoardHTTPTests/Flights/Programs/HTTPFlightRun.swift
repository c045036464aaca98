// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization

/// One run of a ``HTTPFlightProgram``.
struct HTTPFlightRun: Sendable {
    private static let harm = HTTPField.Name("X-Harm") ?? .server

    let program: HTTPFlightProgram
    let log = HTTPFlightLog()
    let store: FaultyStore
    let harness: CacheHarness

    /// - Parameter isDelayed: Whether the store may wait for time that a seeded executor moves on.
    init(_ program: HTTPFlightProgram, isDelayed: Bool = true) {
        self.program = program
        let (seed, time) = (program.seed, TestTime())
        store = FaultyStore(MemoryStore(clock: time), answersAtOnce: seed % 4 < 2, callsBack: seed % 3 == 0, ticker: time)
        let delayed = isDelayed ? 0.3 : 0
        store.setScript(
            FaultyStore.seededScript(seed: seed, rates: .init(delayBefore: delayed, delayAfterwards: delayed, outages: seed % 3 == 0 ? 0.2 : 0))
        )
        // Memory has room for a few responses at most.
        harness = CacheHarness(stores: [store], time: time, configure: { $0.maximumMemoryBytes = seed % 2 == 0 ? 3_000 : 0 }) { [log] request in
            await Self.answer(to: request.head, log)
        }
    }

    private static func answer(to head: HTTPRequest, _ log: HTTPFlightLog) async -> FakeTransport.Answer {
        let issued = log.now()
        for _ in 0..<(issued % 5 == 0 ? 100 : issued % 4) { await Task.yield() }
        let harm = head.headerFields[harm].flatMap { HTTPFlightProgram.Harm(rawValue: $0) }
        switch harm {
        case .closes: return .failure(TransportError(.connectionClosed, "The origin has closed the connection."))
        case .isNoHTTP: return .failure(TransportError(.invalidResponse, "This is no HTTP."))
        case .breaksOff, nil: break
        }
        if head.method == .post { return .text("changed") }
        let fields: HTTPFields =
            switch head.path {
            case "/vary": [.cacheControl: "max-age=60", .vary: "Accept"]
            case "/etag": [.cacheControl: "no-cache", .eTag: "\"v\""]
            default: [.cacheControl: "max-age=60, stale-while-revalidate=60"]
            }
        if head.headerFields.contains(.ifNoneMatch), harm == nil { return .text(status: .notModified, fields: fields) }
        let text = HTTPFlightLog.content(head.headerFields[PartitionHarness.owner] ?? "nobody", head.path ?? "", issued)
        let half = text.index(text.startIndex, offsetBy: text.count / 2)
        let parts = [String(text[..<half]), String(text[half...])]
        if harm == .breaksOff {
            let error = TransportError(.connectionClosed, "The origin has closed the connection.")
            return .parts([parts[0]], length: text.utf8.count, breakingOffWith: error, fields: fields)
        }
        return issued % 3 == 0 ? .text(text, fields: fields) : .parts(parts, length: issued % 3 == 1 ? nil : text.utf8.count, fields: fields)
    }

    func perform() async throws {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<HTTPFlightProgram.taskCount {
                group.addTask {
                    for step in program.steps where step.task == task {
                        await perform(step)
                        for _ in 0..<step.yields { await Task.yield() }
                    }
                }
            }
        }
        try await comeToRest()
    }

    private func comeToRest() async throws {
        await harness.cache.flush()
        store.heal()
        while !harness.cache.storeHealth.allSatisfy(\.isSound) {
            try Task.checkCancellation()
            harness.time.advance(seconds: 1)
            await Task.yield()
            await get("/probe", for: "nobody")
        }
        for owner in HTTPFlightProgram.owners {
            for path in HTTPFlightProgram.paths { await get(path, for: owner, fields: [.cacheControl: "max-stale, only-if-cached"]) }
        }
        // Some of these answers are being refreshed now.
        await harness.cache.flush()
        await harness.transfersEnd()
        // Tasks that have been stopped on their way still have to let go of what they hold. No signal
        // tells when they have done so.
        for _ in 0..<10_000 where harness.openFenceCount > 0 || harness.exchangeCount > 0 { await Task.yield() }
        if harness.openFenceCount > 0 { log.complain("\(harness.openFenceCount) fences are open") }
        if harness.exchangeCount > 0 { log.complain("\(harness.exchangeCount) exchanges are left") }
    }

    private func perform(_ step: HTTPFlightProgram.Step) async {
        let (owner, path) = (step.owner, step.path)
        let accept: HTTPFields = step.selectsOther ? [.accept: "b"] : [:]
        let partition = owner == "nobody" ? nil : owner
        switch step.action {
        case .get(nil):
            await get(path, for: owner, fields: accept, inMemoryOnly: step.isInMemoryOnly, isEarly: step.yields.isMultiple(of: 2))
        case .get(let harm?):
            await get(path, for: owner, fields: accept + [Self.harm: harm.rawValue], inMemoryOnly: step.isInMemoryOnly, mayFail: true)
        case .getAndLeave(let yields):
            let caller = SeededExecutor.task { await get(path, for: owner, fields: accept, inMemoryOnly: step.isInMemoryOnly, mayFail: true) }
            for _ in 0..<yields { await Task.yield() }
            caller.cancel()
            await caller.value
        case .readOnePart:
            log.add("\(owner) reads one part of \(path)")
            var parts = try? await respond(to: .test(.get, path, accept), for: owner, inMemoryOnly: step.isInMemoryOnly).body.makeAsyncIterator()
            _ = try? await parts?.next()
        case .remove:
            let begun = log.now()
            await harness.cache.remove("http://example.com\(path)", partition: partition ?? "")
            log.removed(owner, path, from: begun)
        case .removePartition:
            // A response without a partition cannot be removed by it.
            guard let partition else { return }
            let begun = log.now()
            await harness.cache.removePartition(partition)
            log.removed(owner, from: begun)
        case .change:
            let begun = log.now()
            let response = try? await respond(to: .test(.post, path), for: owner, inMemoryOnly: step.isInMemoryOnly)
            if response?.head.status == .ok { log.removed(owner, path, from: begun) }
        case .markStale: await harness.cache.markStale("http://example.com\(path)", partition: partition ?? "")
        case .advance(let seconds): harness.time.advance(seconds: seconds)
        }
    }

    private func respond(to request: HTTPRequest, for owner: String, inMemoryOnly: Bool) async throws -> HTTPCacheResponse {
        var request = request
        if owner != "nobody" { request.headerFields[PartitionHarness.owner] = owner }
        return try await harness.cache.respond(
            to: request,
            partition: owner == "nobody" ? nil : owner,
            keepsInMemoryOnly: inMemoryOnly,
            through: harness.transport
        )
    }

    /// The response to a request that is sent to the origin before the cache has been given it, as the proxy sends plain misses.
    ///
    /// - Returns: `nil` if the cache may have something for it.
    private func respondEarly(to request: HTTPRequest) async throws -> HTTPCacheResponse? {
        let (cache, path) = (harness.cache, request.path ?? "")
        let miss: HTTPCache.EarlyMiss
        switch cache.beginMiss(targetURI: "http://example.com\(path)", selectingFields: { request.headerFields }) {
        case .miss(let begun): miss = begun
        case .found:
            guard let begun = cache.beginValidation(HTTPCache.Request(request)) else { return nil }
            miss = begun
        case .nothing: return nil
        }
        var question = request
        miss.conditions.withUnsafeBytes { question.headerFields += HTTPFields(PlainLines($0)) }
        let sent: Result<TransportResponse, TransportError>
        do throws(TransportError) {
            sent = .success(try await harness.transport.send(question, body: .empty, onInterimResponse: nil))
        } catch {
            sent = .failure(error)
        }
        if case .success(let response) = sent, let content = response.body.bytesAtHand {
            if let answer = answerAsItCame(response.head, content, miss) { return answer }
            let answer = cache.answer(miss, to: HTTPCache.Request(request), with: response.head, content)
            switch answer {
            case .response(let answer): return answer
            case .responseToStore(let answer, let store):
                await store()
                return answer
            case nil: break
            }
        }
        switch try cache.begin(HTTPCache.Request(request)) {
        case .hit(let response), .generated(let response):
            cache.forget(miss)
            return response
        case .pending(let pending):
            let transport = SentTransport(sent, then: harness.transport)
            return try await cache.respond(to: pending, through: transport, after: cache.isBegun(pending, by: miss) ? miss : nil)
        }
    }

    /// The answer that needs no parsed response, for some of the responses that could be answered so.
    private func answerAsItCame(_ head: HTTPResponse, _ content: ByteBuffer, _ miss: HTTPCache.EarlyMiss) -> HTTPCacheResponse? {
        var head = head
        head.headerFields.append(HTTPField(name: .date, value: HTTPDate(harness.time.now()).description))
        if head.status == .notModified { return harness.cache.confirm(miss, head) }
        guard content.readableBytes.isMultiple(of: 2), !miss.isOfStale || head.status.code < 500 else { return nil }
        head.headerFields[.contentLength] = String(content.readableBytes)
        return harness.cache.store(miss, head, content)
    }

    private func get(
        _ path: String,
        for owner: String,
        fields: HTTPFields = [:],
        inMemoryOnly: Bool = false,
        mayFail: Bool = false,
        isEarly: Bool = false
    ) async {
        let begun = log.now()
        do {
            let request = HTTPRequest.test(.get, path, fields)
            let early = isEarly && owner == "nobody" && !inMemoryOnly ? try await respondEarly(to: request) : nil
            let response = if let early { early } else { try await respond(to: request, for: owner, inMemoryOnly: inMemoryOnly) }
            let reply = try await Reply(response)
            // The cache's own answer to only-if-cached says nothing of the origin.
            if reply.code == 200 { log.found(reply.text, by: owner, at: path, from: begun) }
        } catch {
            log.add("\(owner) asked for \(path) at \(begun) and got \(error)")
            // No request of a client makes another client's request fail.
            if !mayFail { log.complain("\(owner) asked for \(path) at \(begun), asked nothing of the origin that it cannot do, and got \(error)") }
        }
    }
}

/// Gives the outcome of one request that was sent before, once, and sends all other requests.
private final class SentTransport: Transport {
    private let sent: Mutex<Result<TransportResponse, TransportError>?>
    private let transport: any Transport

    init(_ sent: Result<TransportResponse, TransportError>, then transport: any Transport) {
        self.sent = Mutex(sent)
        self.transport = transport
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        if let sent = sent.withLock({ $0.take() }) { return try sent.get() }
        return try await transport.send(request, body: body, onInterimResponse: onInterimResponse)
    }
}
