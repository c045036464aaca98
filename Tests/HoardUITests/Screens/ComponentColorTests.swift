// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardUI
import Testing

@Suite struct ComponentColorTests {
    private func bytes(_ text: String) -> [Int]? {
        ComponentColor(text).map { color in [color.red, color.green, color.blue, color.opacity].map { Int(($0 * 255).rounded()) } }
    }

    @Test func coloursAreReadAsInCSS() {
        #expect(bytes("#00AA33") == [0, 170, 51, 255])
        #expect(bytes("#00aa3380") == [0, 170, 51, 128])
        #expect(bytes("#0a3") == [0, 170, 51, 255])
        #expect(bytes("#0a38") == [0, 170, 51, 136])
    }

    @Test(arguments: ["", "#", "#1", "#12", "#12345", "#1234567", "#123456789", "00AA33", "#00AA3G", "#００AA33", "# 0a3", "red"])
    func otherTextsAreNoColours(text: String) {
        #expect(bytes(text) == nil)
    }
}
