// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardNIOTestSupport
import NIOCore
import Testing

@Suite struct HTTPBodyBeginningTests {
    @Test func bodyAsLongAsItSaidHasItsBytesAtHand() async throws {
        for length in [5, nil] {
            let body = try await HTTPBody(Parts.texts("hel", "lo"), length: length).withBytesAtHand(upTo: 5)
            #expect(body.bytesAtHand == ByteBuffer(string: "hello"))
        }
    }

    /// Its sender can still tell.
    @Test(arguments: [4, 6])
    func bodyThatIsNotAsLongAsItSaidKeepsItsLength(length: Int) async throws {
        let body = try await HTTPBody(Parts.texts("hel", "lo"), length: length).withBytesAtHand(upTo: 100)
        #expect(body.bytesAtHand == nil)
        #expect(body.length == length)
        #expect(String(buffer: try await body.collect(upTo: 100)) == "hello")
    }
}
