// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import Testing

@testable import HoardTransports

@Suite struct ClientConnectionStateMachineTests {
    private static func machine() -> ClientConnectionStateMachine {
        ClientConnectionStateMachine(maximumDrainByteCount: 10, maximumInterimResponseCount: 2)
    }

    private static func framing(_ headers: HTTPHeaders) throws -> ResponseFraming {
        try ResponseFraming(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers), isResponseToHead: false)
    }

    /// An exchange whose request has been sent, up to the head of the response.
    private static func exchange(_ headers: HTTPHeaders, sendsRequest: Bool = true) throws -> ClientConnectionStateMachine {
        var machine = machine()
        machine.exchangeStarted()
        if sendsRequest { machine.requestEnded() }
        machine.bytesArrived()
        #expect(machine.expectation == .head)
        #expect(try machine.headArrived(framing(headers)) == true)
        return machine
    }

    @Test func exchangeFreesTheConnection() throws {
        var machine = try Self.exchange(["Content-Length": "5"])
        #expect(!machine.isIdle)
        #expect(machine.expectation == .bytes(5))
        #expect(machine.contentArrived(byteCount: 5) == .deliver)
        #expect(machine.readCompleted() == .none)
        #expect(machine.responseEnded() == true)
        #expect(machine.expectation == .nothing)
        #expect(machine.readCompleted() == .release)
        #expect(machine.isIdle)
        machine.exchangeStarted()
    }

    @Test func responseThatIsTakenAsAWholeFreesTheConnection() {
        var machine = Self.machine()
        machine.exchangeStarted()
        machine.requestEnded()
        machine.bytesArrived()
        machine.responseTaken()
        #expect(machine.hasReceivedResponse && machine.expectation == .nothing)
        #expect(machine.readCompleted() == .release)
        #expect(machine.isIdle)
    }

    @Test func responseBeforeTheEndOfTheRequestClosesTheConnection() throws {
        var machine = try Self.exchange(["Content-Length": "0"], sendsRequest: false)
        #expect(machine.acceptsContent)
        #expect(machine.responseEnded() == true)
        #expect(machine.readCompleted() == .close)
    }

    @Test func originMayCloseTheConnectionAfterAResponse() throws {
        var machine = try Self.exchange(["Content-Length": "0", "Connection": "close"])
        #expect(machine.responseEnded() == true)
        #expect(machine.readCompleted() == .close)
    }

    @Test func strayBytesCloseTheConnectionAfterTheResponse() throws {
        var machine = try Self.exchange(["Content-Length": "0"])
        #expect(machine.responseEnded() == true)
        machine.strayBytesArrived()
        #expect(machine.readCompleted() == .close)
        var idle = Self.machine()
        #expect(idle.isIdle)
        idle.strayBytesArrived()
        #expect(!idle.isIdle)
        #expect(idle.readCompleted() == .close)
    }

    @Test func interimResponsesAreCounted() throws {
        var machine = Self.machine()
        #expect(machine.interimResponseArrived() == .fail)
        machine.exchangeStarted()
        #expect(machine.interimResponseArrived() == .deliver)
        #expect(machine.interimResponseArrived() == .deliver)
        #expect(machine.expectation == .head)
        #expect(machine.interimResponseArrived() == .fail)
    }

    @Test func partsThatComeOutOfTurnFail() throws {
        var machine = Self.machine()
        #expect(try machine.headArrived(Self.framing([:])) == false)
        #expect(machine.contentArrived(byteCount: 1) == .fail)
        #expect(machine.responseEnded() == false)
        machine = try Self.exchange(["Content-Length": "2"])
        #expect(try machine.headArrived(Self.framing([:])) == false)
        #expect(machine.interimResponseArrived() == .fail)
        #expect(machine.contentArrived(byteCount: 3) == .fail)
        #expect(machine.contentArrived(byteCount: 1) == .deliver)
        #expect(machine.responseEnded() == false)
    }

    @Test func shortRestIsDroppedAndSavesTheConnection() throws {
        var machine = try Self.exchange(["Content-Length": "11"])
        #expect(machine.contentArrived(byteCount: 1) == .deliver)
        #expect(machine.bodyAbandoned() == .drain)
        #expect(machine.bodyAbandoned() == .none)
        #expect(machine.expectation == .bytes(10))
        #expect(machine.contentArrived(byteCount: 10) == .drop)
        #expect(machine.responseEnded() == true)
        #expect(machine.readCompleted() == .release)
    }

    @Test(
        arguments: [
            ["Content-Length": "11"], ["Transfer-Encoding": "chunked"], ["Content-Length": "1", "Connection": "close"], [:],
        ] as [HTTPHeaders]
    )
    func longRestIsNotReceived(_ headers: HTTPHeaders) throws {
        var machine = try Self.exchange(headers)
        #expect(machine.bodyAbandoned() == .close)
    }

    @Test func responseThatHasEndedCannotBeAbandoned() throws {
        var machine = try Self.exchange(["Transfer-Encoding": "chunked"])
        #expect(machine.responseEnded() == true)
        #expect(machine.bodyAbandoned() == .none)
    }

    @Test func onlyAKeptConnectionWithoutAByteIsStale() throws {
        var machine = try Self.exchange(["Content-Length": "0"])
        #expect(machine.lossError == .connectionClosed)
        #expect(machine.responseEnded() == true)
        #expect(machine.readCompleted() == .release)
        machine.exchangeStarted()
        #expect(machine.lossError == .stale(wasSent: true))
        machine.bytesArrived()
        #expect(machine.lossError == .connectionClosed)
        var fresh = Self.machine()
        fresh.exchangeStarted()
        #expect(fresh.lossError == .connectionClosed)
        var unused = Self.machine()
        unused.kept()
        unused.exchangeStarted()
        #expect(unused.lossError == .stale(wasSent: true))
    }

    @Test func closedConnectionDoesNothing() throws {
        var machine = try Self.exchange(["Content-Length": "5"])
        machine.closed()
        #expect(!machine.isIdle && !machine.isReceiving && !machine.acceptsContent)
        #expect(machine.expectation == .nothing)
        #expect(machine.readCompleted() == .none)
        #expect(machine.bodyAbandoned() == .none)
    }
}
