// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import NIOCore
import Synchronization
import Testing

@testable import HoardProxy

@Suite struct CountedBodyTests {
    private final class Endings: Sendable {
        private let codes = Mutex<[TransportError.Code?]>([])
        var all: [TransportError.Code?] { codes.withLock { $0 } }
        func note(_ error: TransportError?) { codes.withLock { $0.append(error?.code) } }
    }

    private static func body(_ parts: Parts, _ endings: Endings) -> HTTPBody {
        CountedBody.counting(HTTPBody(parts, length: nil, trailers: { [.accept: "t"] })) { endings.note($0) }
    }

    @Test func endIsToldOnceWhenTheContentHasBeenRead() async throws {
        let endings = Endings()
        do {
            let body = Self.body(.texts("a", "b"), endings)
            #expect(endings.all.isEmpty)
            #expect(String(buffer: try await body.collect(upTo: 10)) == "ab")
            #expect(endings.all == [nil])
            #expect(body.trailers?[.accept] == "t")
        }
        #expect(endings.all == [nil])
    }

    @Test func droppingTheBodyIsAnEnd() {
        let endings = Endings()
        _ = Self.body(.texts("a"), endings)
        #expect(endings.all == [nil])
    }

    @Test func droppingItsReaderIsAnEnd() async throws {
        let endings = Endings()
        do {
            var parts = Self.body(.texts("a", "b"), endings).makeAsyncIterator()
            #expect(try await parts.next() != nil)
            #expect(endings.all.isEmpty)
        }
        #expect(endings.all == [nil])
    }

    @Test func whatBrokeItOffIsTold() async throws {
        let endings = Endings()
        let body = Self.body(.texts("a", failing: TransportError(.connectionClosed, "")), endings)
        await #expect(throws: TransportError.self) { try await body.collect(upTo: 10) }
        #expect(endings.all == [.connectionClosed])
    }

    @Test func contentAtHandHasEnded() {
        let endings = Endings()
        let body = CountedBody.counting(HTTPBody("x")) { endings.note($0) }
        #expect(endings.all == [nil])
        #expect(body.bytesAtHand != nil)
    }

    @Test func uploadKnowsWhetherItHasBeenRead() async throws {
        let upload = WatchedUpload(HTTPBody(Parts.texts("a"), length: 1))
        #expect(upload.isUnread && !upload.canBeRepeated)
        let content = upload.content
        #expect(content.length == 1 && upload.isUnread)
        #expect(String(buffer: try await content.collect(upTo: 10)) == "a")
        #expect(!upload.isUnread)
        #expect(WatchedUpload(HTTPBody("x")).canBeRepeated)
    }
}
