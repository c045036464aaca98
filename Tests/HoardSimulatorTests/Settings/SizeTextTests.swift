// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite struct SizeTextTests {
    @Test(arguments: [("0", 0), ("1000", 1_000), ("64K", 65_536), ("512MiB", 512 << 20), ("10G", 10 << 30), ("1tb", 1 << 40), ("5b", 5)])
    func numbersOfBytesAreRead(text: String, count: Int) {
        #expect(SizeText.byteCount(text) == count)
    }

    @Test(arguments: ["", "x", "-1", "1.5M", "1X", "99999999999999999999", "9999999999T", "1 k"]) func otherTextsAreNone(text: String) {
        #expect(SizeText.byteCount(text) == nil)
    }

    @Test func whatIsWrittenIsReadBack() {
        for count in [0, 1, 1_023, 1_024, 1_025, 64 << 20, 1 << 30, (1 << 30) + 1, 3 << 40, .max] {
            #expect(SizeText.byteCount(SizeText.text(count)) == count)
        }
        #expect(SizeText.text(64 << 20) == "64MiB")
    }
}
