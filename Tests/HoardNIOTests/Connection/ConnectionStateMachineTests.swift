// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardNIO

@Suite struct ConnectionStateMachineTests {
    private static func machine() -> ConnectionStateMachine { ConnectionStateMachine(maximumDrainByteCount: 100) }

    @Test func exchangeEndsWhenRequestAndResponseHaveEnded() {
        var machine = Self.machine()
        #expect(machine.isIdle)
        #expect(machine.partArrived(startsRequest: true, afterQueuedParts: false) == .process)
        machine.exchangeStarted(keepsAlive: true)
        #expect(!machine.isIdle)
        #expect(machine.requestEnded() == .none)
        #expect(machine.responseStarted(announcesClose: false) == false)
        #expect(machine.responseFlushed(missingByteCount: 0) == .startNext)
        #expect(machine.isIdle)
    }

    @Test func exchangeThatIsWithdrawnHasNotBegun() {
        var machine = Self.machine()
        machine.exchangeStarted(keepsAlive: true)
        _ = machine.requestEnded()
        #expect(machine.exchangeWithdrawn() == false)
        #expect(machine.isIdle && machine.mayServeAnother)
        machine.exchangeStarted(keepsAlive: true)
        _ = machine.requestEnded()
        // The server ends meanwhile.
        #expect(machine.closeAfterExchange() == .none)
        #expect(machine.exchangeWithdrawn() == true)
        #expect(machine.partArrived(startsRequest: true, afterQueuedParts: false) == .process)
    }

    @Test func requestSentAheadWaits() {
        var machine = Self.machine()
        machine.exchangeStarted(keepsAlive: true)
        #expect(machine.partArrived(startsRequest: false, afterQueuedParts: false) == .process)
        _ = machine.requestEnded()
        #expect(machine.partArrived(startsRequest: true, afterQueuedParts: false) == .enqueue)
        #expect(machine.partArrived(startsRequest: false, afterQueuedParts: true) == .enqueue)
        _ = machine.responseStarted(announcesClose: false)
        _ = machine.responseFlushed(missingByteCount: 0)
        #expect(machine.partArrived(startsRequest: true, afterQueuedParts: true) == .enqueue)
        #expect(machine.partArrived(startsRequest: true, afterQueuedParts: false) == .process)
    }

    @Test func nothingIsTakenAfterTheLastRequest() {
        var machine = Self.machine()
        machine.exchangeStarted(keepsAlive: false)
        _ = machine.requestEnded()
        #expect(machine.partArrived(startsRequest: true, afterQueuedParts: false) == .discard)
        #expect(machine.responseStarted(announcesClose: false) == true)
        #expect(machine.responseFlushed(missingByteCount: 0) == .closeGracefully)
        #expect(machine.isLingering)
        #expect(machine.partArrived(startsRequest: true, afterQueuedParts: false) == .discard)
        #expect(!machine.acceptsResponse)
    }

    @Test func responseMayEndFirstIfLittleIsMissing() {
        var machine = Self.machine()
        machine.exchangeStarted(keepsAlive: true)
        _ = machine.responseStarted(announcesClose: false)
        #expect(machine.responseFlushed(missingByteCount: 100) == .none)
        #expect(machine.isDraining)
        #expect(machine.contentDropped(byteCount: 60) == .none)
        #expect(machine.contentDropped(byteCount: 40) == .none)
        #expect(machine.requestEnded() == .startNext)
        #expect(!machine.isDraining)
    }

    @Test func connectionIsClosedIfMuchIsMissing() {
        var known = Self.machine()
        known.exchangeStarted(keepsAlive: true)
        _ = known.responseStarted(announcesClose: false)
        #expect(known.responseFlushed(missingByteCount: 101) == .closeGracefully)

        var unknown = Self.machine()
        unknown.exchangeStarted(keepsAlive: true)
        _ = unknown.responseStarted(announcesClose: false)
        #expect(unknown.responseFlushed(missingByteCount: nil) == .none)
        #expect(unknown.contentDropped(byteCount: 101) == .closeGracefully)
    }

    @Test func unfinishedRequestIsNotDrainedIfTheConnectionClosesAnyway() {
        var machine = Self.machine()
        machine.exchangeStarted(keepsAlive: true)
        #expect(machine.responseStarted(announcesClose: true) == true)
        #expect(machine.responseFlushed(missingByteCount: 1) == .closeGracefully)
    }

    @Test func failedRequestLetsItsResponseEndAndCloses() {
        var machine = Self.machine()
        machine.exchangeStarted(keepsAlive: true)
        #expect(machine.requestFailed() == .none)
        #expect(!machine.isReceiving)
        #expect(machine.acceptsResponse)
        #expect(machine.responseStarted(announcesClose: false) == true)
        #expect(machine.responseFlushed(missingByteCount: nil) == .closeGracefully)
    }

    @Test func requestThatFailsWhileItIsDroppedCloses() {
        var machine = Self.machine()
        machine.exchangeStarted(keepsAlive: true)
        _ = machine.responseStarted(announcesClose: false)
        _ = machine.responseFlushed(missingByteCount: nil)
        #expect(machine.requestFailed() == .closeGracefully)
    }

    @Test func interimResponsesComeOnlyBeforeTheFinalOne() {
        var machine = Self.machine()
        #expect(!machine.acceptsInterimResponse)
        machine.exchangeStarted(keepsAlive: true)
        #expect(machine.acceptsInterimResponse)
        _ = machine.responseStarted(announcesClose: false)
        #expect(!machine.acceptsInterimResponse)
        #expect(machine.isSendingResponse)
    }

    @Test func closingWaitsForTheExchangeInProgress() {
        var idle = Self.machine()
        #expect(idle.closeAfterExchange() == .closeGracefully)
        #expect(idle.closeAfterExchange() == .none)

        var busy = Self.machine()
        busy.exchangeStarted(keepsAlive: true)
        #expect(busy.closeAfterExchange() == .none)
        _ = busy.requestEnded()
        #expect(busy.responseStarted(announcesClose: false) == true)
        #expect(busy.responseFlushed(missingByteCount: 0) == .closeGracefully)
    }

    @Test func closedInputEndsWhatIsIdleAndCancelsWhatHasNotComeWhole() {
        var idle = Self.machine()
        #expect(idle.inputClosed(hasQueuedParts: false) == .close)
        #expect(idle.hasInputClosed)

        var busy = Self.machine()
        busy.exchangeStarted(keepsAlive: true)
        #expect(busy.inputClosed(hasQueuedParts: false) == .cancelExchange)
        #expect(busy.acceptsResponse)

        var waiting = Self.machine()
        waiting.exchangeStarted(keepsAlive: true)
        _ = waiting.requestEnded()
        #expect(waiting.inputClosed(hasQueuedParts: false) == .none, "a client that has said everything gets its answer")

        var lingering = Self.machine()
        _ = lingering.closeAfterExchange()
        #expect(lingering.inputClosed(hasQueuedParts: false) == .close)
    }

    @Test func nothingHappensAfterTheConnectionHasClosed() {
        var machine = Self.machine()
        machine.exchangeStarted(keepsAlive: true)
        machine.closed()
        #expect(!machine.acceptsResponse)
        #expect(!machine.isReceiving)
        #expect(!machine.isIdle)
        #expect(machine.requestEnded() == .none)
        #expect(machine.responseFlushed(missingByteCount: 0) == .none)
        #expect(machine.inputClosed(hasQueuedParts: false) == .none)
        #expect(machine.partArrived(startsRequest: true, afterQueuedParts: false) == .discard)
    }
}
