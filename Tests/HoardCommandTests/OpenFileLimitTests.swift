// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCommand

@Suite struct OpenFileLimitTests {
    @Test func raisingNeverLowersTheLimitAndRaisesItOnce() {
        let raised = OpenFileLimit.raise()
        #expect(raised > 0)
        #expect(OpenFileLimit.raise() == raised)
    }
}
