// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHTTP1
import Testing

@testable import HoardNIO
@testable import HoardWire

@Suite struct RequestRejectionTests {
    @Test(arguments: [
        (HTTPParserError.headerOverflow, 431), (.invalidVersion, 505), (.invalidMethod, 400), (.invalidURL, 400), (.invalidHeaderToken, 400),
        (.unexpectedContentLength, 400), (.invalidContentLength, 400), (.invalidChunkSize, 400), (.unknown, 400), (.invalidConstant, 400),
        (.strictModeAssertion, 400), (.lfExpected, 400),
    ])
    func errorsOfTheParserHaveAStatus(_ error: HTTPParserError, _ status: Int) throws {
        #expect(try #require(RequestRejection(parserError: error)).status.code == status)
    }

    @Test func clientThatGoesAwayGetsNoAnswer() {
        #expect(RequestRejection(parserError: HTTPParserError.invalidEOFState) == nil)
        #expect(RequestRejection(parserError: HTTPParserError.closedConnection) == nil)
        #expect(RequestRejection(parserError: ChannelError.eof) == nil)
    }
}
