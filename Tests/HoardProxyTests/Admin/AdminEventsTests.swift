// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardProxy

/// Events for listeners, once a second.
@Suite(.timeLimit(.minutes(1))) struct AdminEventsTests {
    private let time = ManualTicker()
    private let made = Counter()

    private func events(maximumCount: Int = 3) -> AdminEvents {
        AdminEvents(maximumCount: maximumCount, ticker: time) { [made] in
            made.add()
            return ByteBuffer(string: "\(made.value)")
        }
    }

    private func text(_ event: ByteBuffer?) -> String? { event.map { String(buffer: $0) } }

    @Test func listenerGetsAnEventAtOnceAndThenOneASecond() async throws {
        let events = events()
        let listener = try #require(await events.listen())
        #expect(text(await listener.next()) == "1")
        for number in 2...5 {
            await time.sleepers(1)
            async let next = listener.next()
            time.advance(by: .seconds(1))
            #expect(text(await next) == "\(number)")
        }
    }

    @Test func nothingIsMadeWhileNobodyListens() async throws {
        let events = events()
        var listener = await events.listen()
        #expect(text(await listener?.next()) == "1")
        await time.sleepers(1)
        listener = nil
        #expect(events.count == 0)
        // The timer that is under way makes the last one.
        time.advance(by: .seconds(1))
        await made.wait(for: 2)
        let other = try #require(await events.listen())
        #expect(text(await other.next()) == "3")
        await time.sleepers(1)
        #expect(time.sleeperCount == 1)
    }

    @Test func slowListenerGetsTheNewestEventOnly() async throws {
        let events = events()
        let (slow, quick) = (try #require(await events.listen()), try #require(await events.listen()))
        #expect(text(await quick.next()) == "2")
        for number in 3...6 {
            await time.sleepers(1)
            async let next = quick.next()
            time.advance(by: .seconds(1))
            #expect(text(await next) == "\(number)")
        }
        // The order within one event is not defined: the slow one may still get the last but one.
        let late = text(await slow.next())
        #expect(late == "6" || late == "5")
    }

    @Test func listenersAreBoundedAndMakeRoomWhenTheyLeave() async throws {
        let events = events(maximumCount: 2)
        var listeners = [await events.listen(), await events.listen()]
        #expect(listeners.allSatisfy { $0 != nil })
        #expect(await events.listen() == nil)
        listeners.removeLast()
        #expect(await events.listen() != nil)
    }

    @Test func listenerThatIsCancelledLeavesAtOnce() async throws {
        let events = events()
        let listener = try #require(await events.listen())
        _ = await listener.next()
        let waiting = Signal()
        let task = Task {
            waiting.fire()
            return await listener.next()
        }
        await waiting.wait()
        task.cancel()
        #expect(await task.value == nil)
        #expect(events.count == 0)
        #expect(await listener.next() == nil, "it does not come back")
    }

    @Test func closingEndsAllStreams() async throws {
        let events = events()
        let (one, other) = (try #require(await events.listen()), try #require(await events.listen()))
        _ = await one.next()
        async let next = one.next()
        events.close()
        #expect(await next == nil)
        #expect(await other.next() == nil)
        #expect(await events.listen() == nil)
        #expect(events.count == 0)
    }

    // MARK: Of the handler

    @Test func eventHasTheNewestPointOfTheHistoryOnly() async throws {
        let harness = AdminHarness()
        let response = await harness.open(.get, "/api/events")
        #expect(response.head.headerFields[.contentType] == "text/event-stream")
        #expect(response.body.length == nil)
        var parts = response.body.makeAsyncIterator()
        let text = String(buffer: try #require(try await parts.next()))
        #expect(text.hasPrefix("event: statistics\ndata: {"))
        #expect(text.hasSuffix("}\n\n"))
        let line = try #require(text.split(separator: "\n").last?.dropFirst("data: ".count))
        let snapshot = try JSONDecoder().decode(ProxyStatistics.Snapshot.self, from: Data(line.utf8))
        #expect(snapshot.history.count == 1)
        #expect(snapshot.longHistory == nil)
        #expect(harness.handler.events.count == 1)
    }

    @Test func listenersBeyondTheLimitAreToldSo() async throws {
        let harness = AdminHarness()
        var bodies: [HTTPBody] = []
        for _ in 0..<AdminHandler.maximumListenerCount { bodies.append(await harness.open(.get, "/api/events").body) }
        let reply = try await harness.send(.get, "/api/events")
        #expect(reply.code == 503)
        #expect(reply.error?.contains("\(AdminHandler.maximumListenerCount)") == true)
        bodies.removeAll()
        #expect(harness.handler.events.count == 0, "who never read leaves with the response")
    }
}
