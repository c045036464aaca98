// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIO
import Testing

@testable import HoardWire

@Suite struct ContentLengthTests {
    @Test(arguments: [("0", 0), ("42", 42), ("007", 7), ("9223372036854775807", Int.max)])
    func digitsAreALength(_ text: String, _ length: Int) {
        #expect(Int(contentLength: text) == length)
    }

    @Test(arguments: ["", "-1", "+1", " 1", "1 ", "1,1", "0x1", "1_0", "\u{661}", "9223372036854775808"])
    func anythingElseIsNone(_ text: String) {
        #expect(Int(contentLength: text) == nil)
    }
}
