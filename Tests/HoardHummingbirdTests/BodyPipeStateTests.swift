// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import Testing

@testable import HoardHummingbird

@Suite
struct BodyPipeStateTests {
    private struct Failure: Error {}

    private static let full = ByteBuffer(repeating: 1, count: BodyPipeState.capacity)
    private static let part = ByteBuffer(string: "part")

    @Test
    func partsComeOutInOrderAndThenTheEnd() {
        let state = Pipe()
        #expect(state.write(ByteBuffer(string: "a")) == "proceed" && state.write(ByteBuffer(string: "b")) == "proceed")
        #expect(!state.end(.finished(trailers: [.eTag: "x"])))
        #expect(state.read() == "take a" && state.read() == "take b" && state.read() == "end")
        #expect(state.trailers == [.eTag: "x"])
    }

    @Test
    func readerThatWaitsGetsThePartAtOnce() {
        let state = Pipe()
        #expect(state.read() == "wait" && state.isReaderWaiting)
        #expect(state.write(Self.full) == "deliver" && !state.isReaderWaiting)
        #expect(state.write(Self.part) == "proceed")
    }

    @Test
    func writerWaitsWhileThePipeIsFull() {
        let state = Pipe()
        #expect(state.write(Self.full) == "wait" && state.areWritersWaiting)
        #expect(state.read().hasPrefix("take and wake") && !state.areWritersWaiting)
        #expect(state.write(Self.part) == "proceed")
    }

    @Test
    func emptyPartsAreNone() {
        let state = Pipe()
        #expect(state.read() == "wait")
        #expect(state.write(ByteBuffer()) == "proceed" && state.isReaderWaiting)
    }

    @Test
    func failureComesAfterWhatWasWritten() {
        let state = Pipe()
        _ = state.write(Self.part)
        #expect(!state.end(.failed(Failure())))
        #expect(state.read() == "take part" && state.read() == "fail" && state.trailers == nil)
    }

    @Test
    func onlyTheFirstEndCounts() {
        let state = Pipe()
        #expect(state.read() == "wait")
        #expect(state.end(.finished(trailers: nil)))
        #expect(!state.end(.failed(Failure())))
        #expect(state.read() == "end" && state.write(Self.part) == "refuse")
    }

    @Test
    func whatIsWrittenForAReaderThatHasLeftIsRefused() {
        let state = Pipe()
        #expect(state.write(Self.full) == "wait")
        state.abandon()
        #expect(state.isAbandoned && !state.areWritersWaiting && state.write(Self.part) == "refuse")
        #expect(!state.end(.finished(trailers: nil)))
    }

    @Test
    func readerThatStopsWaitingIsNotDeliveredTo() {
        let state = Pipe()
        #expect(state.read() == "wait")
        state.stopWaiting()
        #expect(state.write(Self.part) == "proceed" && state.read() == "take part")
    }
}

/// A state whose actions are told in words.
private final class Pipe {
    private var state = BodyPipeState()

    var isAbandoned: Bool { state.isAbandoned }
    var isReaderWaiting: Bool { state.isReaderWaiting }
    var areWritersWaiting: Bool { state.areWritersWaiting }
    var trailers: HTTPFields? { state.trailers }

    func write(_ part: ByteBuffer) -> String { "\(state.write(part))" }

    func read() -> String {
        switch state.read() {
        case .take(let part, let wakesWriters): "take \(wakesWriters ? "and wake " : "")\(String(buffer: part))"
        case .end: "end"
        case .fail: "fail"
        case .wait: "wait"
        }
    }

    func end(_ ending: BodyPipeState.Ending) -> Bool { state.end(ending) }
    func abandon() { state.abandon() }
    func stopWaiting() { state.stopWaiting() }
}
