// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP2
import Testing

@testable import HoardTransports

@Suite struct MultiplexStateMachineTests {
    private static func running(streams: Int = 0) -> MultiplexStateMachine {
        var machine = MultiplexStateMachine()
        _ = machine.settingsArrived()
        for _ in 0..<streams { _ = machine.streamStarted() }
        return machine
    }

    @Test func streamsBeginWhenTheOriginHasSentItsSettings() {
        var machine = MultiplexStateMachine()
        #expect(machine.streamStarted() == false)
        #expect(machine.settingsArrived() == true)
        #expect(machine.settingsArrived() == false)
        #expect(machine.streamStarted() == true)
    }

    @Test func endOfAStreamMakesRoom() {
        var machine = Self.running(streams: 2)
        #expect(machine.streamEnded() == .release)
        #expect(machine.streamCount == 1)
    }

    @Test func connectionThatLeavesWaitsForItsLastStream() {
        var machine = Self.running(streams: 2)
        #expect(machine.leave() == .wait)
        #expect(machine.leave() == .none)
        #expect(machine.streamStarted() == false)
        #expect(machine.streamEnded() == .none)
        #expect(machine.streamEnded() == .close)
    }

    @Test func connectionWithoutStreamsLeavesAtOnce() {
        var machine = Self.running()
        #expect(machine.goAwayArrived(lastStreamID: 0) == .close)
    }

    @Test func streamsBeyondTheOriginsLastWereNotProcessed() {
        var machine = Self.running(streams: 3)
        _ = machine.goAwayArrived(lastStreamID: .maxID)
        #expect(machine.lossError(of: 5, hasReceivedBytes: true) == .connectionClosed)
        _ = machine.goAwayArrived(lastStreamID: 3)
        #expect(machine.lossError(of: 5, hasReceivedBytes: false) == .lostWithOthers(wasSent: false))
        #expect(machine.lossError(of: 3, hasReceivedBytes: false) == .lostWithOthers(wasSent: true))
        // The origin cannot take a refusal back.
        _ = machine.goAwayArrived(lastStreamID: 7)
        #expect(machine.lossError(of: 5, hasReceivedBytes: false) == .lostWithOthers(wasSent: false))
    }

    @Test func streamThatWasNotOpenedWasNotProcessed() {
        #expect(Self.running(streams: 1).lossError(of: nil, hasReceivedBytes: false) == .lostWithOthers(wasSent: false))
    }

    @Test func lossOnAConnectionThatWasKeptMayBeRepeated() {
        var machine = Self.running(streams: 1)
        #expect(machine.lossError(of: 1, hasReceivedBytes: false) == .connectionClosed)
        machine.kept()
        #expect(machine.lossError(of: 1, hasReceivedBytes: false) == .lostWithOthers(wasSent: true))
        #expect(machine.lossError(of: 1, hasReceivedBytes: true) == .connectionClosed)
    }

    @Test func lossOfSeveralMayBeTheFaultOfOne() {
        var machine = Self.running(streams: 2)
        #expect(machine.hasCarriedOthers)
        #expect(machine.lossError(of: 1, hasReceivedBytes: false) == .lostWithOthers(wasSent: true))
        #expect(machine.lossError(of: 3, hasReceivedBytes: true) == .connectionClosed)
        _ = machine.streamEnded()
        #expect(machine.lossError(of: 1, hasReceivedBytes: false) == .lostWithOthers(wasSent: true))
    }

    @Test func nothingHappensAfterTheEnd() {
        var machine = Self.running(streams: 1)
        machine.closed()
        #expect(machine.isClosed)
        #expect(machine.streamStarted() == false)
        #expect(machine.leave() == .none)
        #expect(machine.streamEnded() == .none)
    }
}
