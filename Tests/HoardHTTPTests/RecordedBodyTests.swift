// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

/// A body that is remembered while it is forwarded.
@Suite(.timeLimit(.minutes(2))) struct RecordedBodyTests {
    /// How a recording has ended, and how often.
    private final class Outcome: Sendable {
        private let state = Mutex((completed: [String](), givenUpCount: 0))

        var completed: [String] { state.withLock { $0.completed } }
        var givenUpCount: Int { state.withLock { $0.givenUpCount } }

        func complete(_ body: ByteBuffer) { state.withLock { $0.completed.append(String(buffer: body)) } }
        func giveUp() { state.withLock { $0.givenUpCount += 1 } }

        func recording(expectedLength: Int? = nil, maximumByteCount: Int = 100, budget: ByteBudget = ByteBudget(100)) -> BodyRecording {
            BodyRecording(
                expectedLength: expectedLength,
                maximumByteCount: maximumByteCount,
                budget: budget,
                onCompletion: { self.complete($0) },
                onGivingUp: { self.giveUp() }
            )
        }
    }

    /// Parts, `nil` for the end.
    private func feed(_ parts: [String?], to recording: BodyRecording) async {
        for part in parts { await recording.received(part.map { ByteBuffer(string: $0) }) }
    }

    static let cases: [(parts: [String?], length: Int?, maximum: Int, completed: [String], givenUpCount: Int)] = [
        (["ab", "c", nil], nil, 100, ["abc"], 0),
        ([nil], nil, 100, [""], 0),
        ([nil], 0, 100, [""], 0),
        (["ab", "c", nil], 3, 100, ["abc"], 0),
        (["ab", "c"], 3, 100, ["abc"], 0),
        (["ab", "c", nil], 4, 100, [], 1),
        (["ab", "c", nil], 2, 100, ["ab"], 0),
        (["ab", "c", nil], 1, 100, [], 1),
        (["ab", "c", nil], nil, 3, ["abc"], 0),
        (["ab", "c", nil], nil, 2, [], 1),
        (["abc", nil], 3, 2, [], 1),
        (["ab", "cd", "ef", nil], nil, 3, [], 1),
        (["a", nil, nil, "b", nil], nil, 100, ["a"], 0),
    ]

    @Test(arguments: cases)
    func recordingEndsOnce(example: (parts: [String?], length: Int?, maximum: Int, completed: [String], givenUpCount: Int)) async {
        let outcome = Outcome()
        let budget = ByteBudget(100)
        var recording: BodyRecording? = outcome.recording(expectedLength: example.length, maximumByteCount: example.maximum, budget: budget)
        if let recording { await feed(example.parts, to: recording) }
        recording?.giveUp()
        recording = nil
        #expect(outcome.completed == example.completed)
        #expect(outcome.givenUpCount == example.givenUpCount)
        #expect(budget.take(100), "All bytes have been given back.")
    }

    @Test func recordingThatIsGivenUpTakesNothingMore() async {
        let outcome = Outcome()
        let recording = outcome.recording()
        await feed(["ab"], to: recording)
        recording.giveUp()
        recording.giveUp()
        await feed(["c", nil], to: recording)
        #expect(outcome.completed == [])
        #expect(outcome.givenUpCount == 1)
    }

    @Test func recordingThatIsDroppedIsGivenUp() async {
        let outcome = Outcome()
        let budget = ByteBudget(100)
        await feed(["abc"], to: outcome.recording(budget: budget))
        #expect(outcome.givenUpCount == 1)
        #expect(budget.take(100))
    }

    @Test func recordingsShareTheirBudget() async {
        let budget = ByteBudget(5)
        let (first, second) = (Outcome(), Outcome())
        let (one, other) = (first.recording(budget: budget), second.recording(budget: budget))
        await feed(["abc"], to: one)
        await feed(["de"], to: other)
        await feed(["f"], to: other)
        #expect(second.givenUpCount == 1)
        await feed(["gh", nil], to: one)
        #expect(first.completed == ["abcgh"])
        #expect(budget.take(5))
    }

    // MARK: The sequence

    private func recordedBody(_ body: HTTPBody, _ outcome: Outcome) -> RecordedBody {
        RecordedBody(body: body, recording: outcome.recording(expectedLength: body.length))
    }

    @Test func partsArePassedOnAsTheyAre() async throws {
        let outcome = Outcome()
        let (body, feed) = BodyFeed.makeBody()
        for part in ["one", "two", "three"] { feed.send(part) }
        feed.finish()
        var parts: [String] = []
        for try await part in recordedBody(body, outcome) { parts.append(String(buffer: part)) }
        #expect(parts == ["one", "two", "three"])
        #expect(outcome.completed == ["onetwothree"])
    }

    @Test func wholeIsPassedOnBeforeItsLastPartIs() async throws {
        let outcome = Outcome()
        let (body, feed) = BodyFeed.makeBody(length: 6)
        var parts = recordedBody(body, outcome).makeAsyncIterator()
        feed.send("one")
        _ = try await parts.next()
        #expect(outcome.completed == [])
        feed.send("two")
        _ = try await parts.next()
        #expect(outcome.completed == ["onetwo"])
    }

    @Test func errorIsPassedOnAndEndsTheRecording() async throws {
        let outcome = Outcome()
        let (body, feed) = BodyFeed.makeBody()
        feed.send("one")
        feed.breakOff()
        var parts = recordedBody(body, outcome).makeAsyncIterator()
        _ = try await parts.next()
        await #expect(throws: TransportError.self) { try await parts.next() }
        #expect(outcome.givenUpCount == 1)
        #expect(outcome.completed == [])
    }

    @Test func endThatACancelledReaderSeesIsNotTakenForTheEndOfTheBody() async throws {
        let outcome = Outcome()
        let (body, feed) = BodyFeed.makeBody()
        feed.send("one")
        let recorded = recordedBody(body, outcome)
        let reader = Task {
            var parts = recorded.makeAsyncIterator()
            _ = try await parts.next()
            withUnsafeCurrentTask { $0?.cancel() }
            return try await parts.next()
        }
        #expect(try await reader.value == nil)
        #expect(outcome.completed == [])
        #expect(outcome.givenUpCount == 1)
    }

    @Test func secondIterationEndsTheRecording() async throws {
        let outcome = Outcome()
        let (body, feed) = BodyFeed.makeBody()
        for part in ["one", "two"] { feed.send(part) }
        feed.finish()
        let recorded = recordedBody(body, outcome)
        var first = recorded.makeAsyncIterator()
        _ = try await first.next()
        var second = recorded.makeAsyncIterator()
        while try await second.next() != nil {}
        #expect(outcome.completed == [])
        #expect(outcome.givenUpCount == 1)
    }
}
