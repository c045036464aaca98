// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import Testing

@testable import HoardProxy

@Suite struct RetryRuleTests {
    private static func next(
        _ progress: TransportError.Progress,
        _ code: TransportError.Code = .connectionClosed,
        stage: TransportError.Stage? = nil,
        method: HTTPRequest.Method = .get,
        atHand: Bool = true,
        unread: Bool = true
    ) -> RetryRule.Next {
        let error = TransportError(code, "", progress: progress, stage: stage)
        return RetryRule.next(after: error, method: method, canRepeatContent: atHand, isContentUnread: unread)
    }

    @Test(arguments: [HTTPRequest.Method.get, .post, .patch])
    func requestThatWasNotSentGoesToAnotherServer(_ method: HTTPRequest.Method) {
        #expect(Self.next(.notProcessed, .cannotConnect, stage: .connecting, method: method) == .standIn)
        #expect(Self.next(.notProcessed, .timedOut, stage: .connecting, method: method, atHand: false) == .standIn)
        #expect(Self.next(.notProcessed, .tlsFailed, stage: .securing, method: method, atHand: false, unread: false) == .giveUp)
    }

    @Test func requestThatWasRefusedGoesAnywhere() {
        #expect(Self.next(.notProcessed, .failed, method: .post) == .anyServer)
        #expect(Self.next(.notProcessed, .failed, method: .post, atHand: false, unread: false) == .giveUp)
    }

    @Test(arguments: [(HTTPRequest.Method.get, true, true), (.put, true, true), (.put, false, false), (.post, true, false), (.patch, true, false)])
    func requestThatWasLostIsRepeatedIfItIsIdempotent(_ method: HTTPRequest.Method, _ atHand: Bool, _ repeats: Bool) {
        #expect(Self.next(.lostOnKeptConnection, method: method, atHand: atHand) == (repeats ? .sameServer : .giveUp))
        #expect(Self.next(.unanswered, method: method, atHand: atHand) == (repeats ? .otherServer : .giveUp))
    }

    @Test func requestThatWasLostWithOthersGoesApart() {
        #expect(Self.next(.lostWithOthers(mayBeProcessed: true)) == .apart(afterAnother: false))
        #expect(Self.next(.lostWithOthers(mayBeProcessed: true), method: .post) == .giveUp)
        #expect(Self.next(.lostWithOthers(mayBeProcessed: true), method: .put, atHand: false) == .giveUp)
        #expect(Self.next(.lostWithOthers(mayBeProcessed: false), method: .post) == .apart(afterAnother: true))
        #expect(Self.next(.lostWithOthers(mayBeProcessed: false), method: .post, atHand: false) == .apart(afterAnother: true))
        #expect(Self.next(.lostWithOthers(mayBeProcessed: false), method: .post, atHand: false, unread: false) == .giveUp)
        #expect(TransportError(.connectionClosed, "", progress: .lostWithOthers(mayBeProcessed: true)).failureOfServer == nil)
    }

    @Test func responseThatIsLateIsNotAskedForAgain() {
        #expect(Self.next(.unanswered, .timedOut, stage: .awaitingResponse) == .giveUp)
    }

    @Test(arguments: [TransportError.Code.connectionClosed, .invalidResponse, .failed])
    func responseThatHasBegunIsNotAskedForAgain(_ code: TransportError.Code) {
        #expect(Self.next(.unknown, code) == .giveUp)
    }

    @Test func whoHasGoneIsNotServed() {
        #expect(Self.next(.notProcessed, .cancelled) == .giveUp)
        #expect(Self.next(.notProcessed, .invalidURL) == .giveUp)
        #expect(Self.next(.notProcessed, .requestTooLarge) == .giveUp)
    }

    @Test(
        arguments: [
            (.cannotConnect, .notProcessed, .connecting, true), (.tlsFailed, .notProcessed, .securing, true),
            (.timedOut, .notProcessed, .connecting, true), (.timedOut, .notProcessed, .waiting, false),
            (.timedOut, .unanswered, .awaitingResponse, true), (.timedOut, .unknown, .sending, true),
            (.connectionClosed, .unanswered, nil, true), (.connectionClosed, .lostOnKeptConnection, nil, false),
            (.invalidResponse, .unknown, nil, true), (.cancelled, .unknown, nil, false), (.failed, .notProcessed, nil, false),
        ] as [(TransportError.Code, TransportError.Progress, TransportError.Stage?, Bool)]
    )
    func serverIsBlamedForWhatItDid(
        _ code: TransportError.Code,
        _ progress: TransportError.Progress,
        _ stage: TransportError.Stage?,
        _ isFault: Bool
    ) {
        #expect(TransportError(code, "", progress: progress, stage: stage).isFaultOfServer == isFault)
    }

    @Test(
        arguments: [
            (.cannotConnect, nil, .unreachable), (.tlsFailed, .securing, .unreachable), (.timedOut, .connecting, .unreachable),
            (.timedOut, .securing, .unreachable), (.timedOut, .awaitingResponse, .inExchange), (.timedOut, .sending, .inExchange),
            (.connectionClosed, .awaitingResponse, .inExchange), (.invalidResponse, nil, .inExchange), (.timedOut, .waiting, nil),
            (.cancelled, nil, nil),
        ] as [(TransportError.Code, TransportError.Stage?, OriginHealth.Failure?)]
    )
    func onlyAServerThatCannotBeReachedIsCalledThat(_ code: TransportError.Code, _ stage: TransportError.Stage?, _ failure: OriginHealth.Failure?) {
        #expect(TransportError(code, "", progress: .unknown, stage: stage).failureOfServer == failure)
    }
}
