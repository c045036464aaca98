// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardTransports

@Suite struct StreamStateMachineTests {
    private static func machine() -> ClientStreamStateMachine {
        ClientStreamStateMachine(maximumInterimResponseCount: 2)
    }

    @Test func responseIsInterimHeadsThenAHeadThenContentThenTrailers() {
        var machine = Self.machine()
        #expect(machine.fieldsArrived(status: 103, contentLength: nil, endsStream: false) == .interim)
        #expect(machine.fieldsArrived(status: 200, contentLength: nil, endsStream: false) == .head)
        #expect(machine.contentArrived(byteCount: 5, endsStream: false) == true)
        #expect(!machine.hasReceivedResponse)
        #expect(machine.fieldsArrived(status: nil, contentLength: nil, endsStream: true) == .trailers)
        #expect(machine.hasReceivedResponse)
    }

    @Test func headMayBeAll() {
        var machine = Self.machine()
        #expect(machine.fieldsArrived(status: 204, contentLength: 0, endsStream: true) == .head)
        #expect(machine.hasReceivedResponse)
    }

    @Test(arguments: [(nil, true), (101, false), (103, true)] as [(Int?, Bool)])
    func whatIsNoHeadIsRefused(_ status: Int?, _ endsStream: Bool) {
        var machine = Self.machine()
        #expect(machine.fieldsArrived(status: status, contentLength: nil, endsStream: endsStream) == .fail)
    }

    @Test func interimResponsesAreLimited() {
        var machine = Self.machine()
        let actions = (0..<3).map { _ in machine.fieldsArrived(status: 102, contentLength: nil, endsStream: false) }
        #expect(actions == [.interim, .interim, .fail])
    }

    @Test func announcedContentMustCome() {
        var machine = Self.machine()
        #expect(machine.fieldsArrived(status: 200, contentLength: 3, endsStream: true) == .fail)
        machine = Self.machine()
        _ = machine.fieldsArrived(status: 200, contentLength: 3, endsStream: false)
        #expect(machine.contentArrived(byteCount: 2, endsStream: true) == false)
        machine = Self.machine()
        _ = machine.fieldsArrived(status: 200, contentLength: 3, endsStream: false)
        #expect(machine.contentArrived(byteCount: 4, endsStream: false) == false)
        machine = Self.machine()
        _ = machine.fieldsArrived(status: 200, contentLength: 3, endsStream: false)
        #expect(machine.contentArrived(byteCount: 2, endsStream: false) == true)
        #expect(machine.fieldsArrived(status: nil, contentLength: nil, endsStream: true) == .fail)
        machine = Self.machine()
        _ = machine.fieldsArrived(status: 200, contentLength: 3, endsStream: false)
        #expect(machine.contentArrived(byteCount: 3, endsStream: true) == true)
        #expect(machine.hasReceivedResponse)
    }

    @Test func contentNeedsAHeadBeforeIt() {
        var machine = Self.machine()
        #expect(machine.contentArrived(byteCount: 1, endsStream: false) == false)
    }

    @Test func fieldsBehindTheContentMustEndTheStreamAndHaveNoStatus() {
        for (status, ends) in [(nil, false), (200, true)] as [(Int?, Bool)] {
            var machine = Self.machine()
            _ = machine.fieldsArrived(status: 200, contentLength: nil, endsStream: false)
            #expect(machine.fieldsArrived(status: status, contentLength: nil, endsStream: ends) == .fail)
        }
    }

    @Test func itIsClosedOnce() {
        var machine = Self.machine()
        #expect(machine.acceptsContent)
        #expect(machine.closed() == true)
        #expect(machine.closed() == false)
        #expect(!machine.acceptsContent)
    }
}
