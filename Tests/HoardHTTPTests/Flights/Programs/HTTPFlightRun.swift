// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting

/// One run of a ``HTTPFlightProgram``.
struct HTTPFlightRun: Sendable {
    private static let harm = HTTPField.Name("X-Harm") ?? .server

    let program: HTTPFlightProgram
    let log = HTTPFlightLog()
    let store: FaultyStore
    let harness: CacheHarness
    private let isDelayed: Bool

    /// - Parameter isDelayed: Whether the store may wait for time that a seeded executor moves on.
    init(_ program: HTTPFlightProgram, isDelayed: Bool = true) {
        self.program = program
        self.isDelayed = isDelayed
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
        var turn = 0
        while harness.openFenceCount > 0 || harness.exchangeCount > 0, turn < 10_000 {
            try Task.checkCancellation()
            await Task.yield()
            // A thread may be held up for any time. On the seeded executor, all that can go on does so within some turns.
            if isDelayed { turn += 1 }
        }
        if harness.openFenceCount > 0 { log.complain("\(harness.openFenceCount) fences are open") }
        if harness.exchangeCount > 0 { log.complain("\(harness.exchangeCount) exchanges are left") }
    }

    private func perform(_ step: HTTPFlightProgram.Step) async {
        let (owner, path) = (step.owner, step.path)
        let accept: HTTPFields = step.selectsOther ? [.accept: "b"] : [:]
        let partition = owner == "nobody" ? nil : owner
        switch step.action {
        case .get(nil):
            let start: Start = [.early, .ordinary, .earlyParsed, .ordinary][step.yields % 4]
            await get(path, for: owner, fields: accept, inMemoryOnly: step.isInMemoryOnly, start)
        case .get(let harm?):
            await get(path, for: owner, fields: accept + [Self.harm: harm.rawValue], inMemoryOnly: step.isInMemoryOnly, mayFail: true)
        case .getAndLeave(let yields):
            let caller = SeededExecutor.task {
                let start: Start = step.yields.isMultiple(of: 2) ? .earlyParsed : .ordinary
                await get(path, for: owner, fields: accept, inMemoryOnly: step.isInMemoryOnly, mayFail: true, start)
            }
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

    /// How a request begins.
    private enum Start {
        case ordinary
        /// It is sent before the cache has been given it, if it has no owner.
        case early
        /// It is sent by its caller, when the cache has nothing for it.
        case earlyParsed
    }

    private func question(_ request: HTTPRequest, for owner: String, inMemoryOnly: Bool) -> HTTPCache.Request {
        var request = request
        if owner != "nobody" { request.headerFields[PartitionHarness.owner] = owner }
        return HTTPCache.Request(request, partition: owner == "nobody" ? nil : owner, keepsInMemoryOnly: inMemoryOnly)
    }

    private func respond(to request: HTTPRequest, for owner: String, inMemoryOnly: Bool) async throws -> HTTPCacheResponse {
        try await harness.cache.respond(to: question(request, for: owner, inMemoryOnly: inMemoryOnly), through: harness.transport)
    }

    private func get(
        _ path: String,
        for owner: String,
        fields: HTTPFields = [:],
        inMemoryOnly: Bool = false,
        mayFail: Bool = false,
        _ start: Start = .ordinary
    ) async {
        let begun = log.now()
        do {
            let request = HTTPRequest.test(.get, path, fields)
            let early = start == .early && owner == "nobody" && !inMemoryOnly ? try await respondEarly(to: request) : nil
            let response =
                if let early {
                    early
                } else if start == .earlyParsed {
                    try await respondEarly(toParsed: question(request, for: owner, inMemoryOnly: inMemoryOnly))
                } else {
                    try await respond(to: request, for: owner, inMemoryOnly: inMemoryOnly)
                }
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
