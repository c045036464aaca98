// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardNIO

@Suite struct StreamStateMachineTests {
    @Test func requestWithoutContentIsReceivedAtOnce() {
        var machine = StreamStateMachine()
        #expect(!machine.acceptsInterimResponse)
        #expect(machine.fieldsArrived(endsStream: true) == .begin)
        #expect(!machine.isReceiving)
        #expect(machine.acceptsInterimResponse)
        #expect(machine.fieldsArrived(endsStream: true) == .ignore)
        #expect(machine.contentArrived() == false)
    }

    @Test func contentEndsWithItsLastFrameOrWithTrailers() {
        var machine = StreamStateMachine()
        #expect(machine.fieldsArrived(endsStream: false) == .begin)
        #expect(machine.contentArrived())
        #expect(machine.fieldsArrived(endsStream: false) == .ignore)
        #expect(machine.isReceiving)
        #expect(machine.fieldsArrived(endsStream: true) == .endRequest)
        #expect(!machine.isReceiving)
        var other = StreamStateMachine()
        #expect(other.fieldsArrived(endsStream: false) == .begin)
        other.requestEnded()
        #expect(!other.contentArrived())
    }

    @Test func thereIsOneFinalResponse() {
        var machine = StreamStateMachine()
        #expect(machine.responseStarted() == false)
        _ = machine.fieldsArrived(endsStream: false)
        #expect(machine.responseStarted() == true)
        #expect(machine.responseStarted() == false)
        #expect(machine.isSending)
        #expect(!machine.acceptsInterimResponse)
        #expect(machine.isReceiving)
        machine.responseEnded()
        #expect(!machine.isSending)
        #expect(machine.hasResponseEnded)
    }

    @Test func nothingHappensAfterTheEnd() {
        var machine = StreamStateMachine()
        _ = machine.fieldsArrived(endsStream: false)
        machine.closed()
        #expect(machine.fieldsArrived(endsStream: true) == .ignore)
        #expect(!machine.contentArrived())
        #expect(machine.responseStarted() == false)
        #expect(!machine.isReceiving && !machine.isSending && !machine.acceptsInterimResponse && !machine.hasResponseEnded)
    }
}
