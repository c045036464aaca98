// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardWire
import NIOHTTP2
import Testing

@testable import HoardNIO

@Suite struct HTTP2ConnectionStateMachineTests {
    @Test func idleConnectionEndsAtOnce() {
        var machine = HTTP2ConnectionStateMachine()
        machine.streamOpened(1)
        #expect(machine.streamClosed() == .none)
        #expect(machine.quiesce() == .nameLastStreamAndClose)
        #expect(machine.lastStream == 1)
        #expect(machine.isLingering)
        #expect(machine.quiesce() == .none)
        #expect(machine.idledOut() == .none)
        #expect(machine.failed(by: .other) == .none)
    }

    @Test func connectionWithStreamsEndsWhenTheyHave() {
        var machine = HTTP2ConnectionStateMachine()
        machine.streamOpened(1)
        machine.streamOpened(3)
        #expect(machine.quiesce() == .nameLastStream)
        #expect(machine.lastStream == 3)
        #expect(machine.quiesce() == .none)
        #expect(machine.streamClosed() == .none)
        #expect(machine.idledOut() == .none)
        #expect(!machine.isLingering)
        #expect(machine.streamClosed() == .close)
        #expect(machine.isLingering)
    }

    @Test func onlyConnectionsWithoutStreamsIdle() {
        var machine = HTTP2ConnectionStateMachine()
        machine.streamOpened(1)
        #expect(machine.idledOut() == .none)
        #expect(machine.streamClosed() == .none)
        #expect(machine.idledOut() == .nameLastStreamAndClose)
    }

    @Test func failedConnectionIsClosed() {
        var machine = HTTP2ConnectionStateMachine()
        machine.streamOpened(1)
        #expect(machine.failed(by: .other) == .close)
        #expect(machine.streamClosed() == .none)
        var other = HTTP2ConnectionStateMachine()
        #expect(other.failed(by: .excess) == .closeAtOnce)
        var closed = HTTP2ConnectionStateMachine()
        closed.closed()
        #expect(closed.failed(by: .excess) == .none)
        #expect(closed.quiesce() == .none)
    }
}
