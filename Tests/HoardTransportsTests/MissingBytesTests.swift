// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import HoardTransports

@Suite struct MissingBytesTests {
    @Test(arguments: [(2, false), (3, true), (4, false)])
    func contentOfAnotherLengthIsNotComplete(_ count: Int, _ isComplete: Bool) {
        var missing = MissingBytes(of: 3)
        missing.arrived(ByteBuffer(repeating: 0, count: 1))
        #expect(!missing.isComplete)
        missing.arrived(ByteBuffer(repeating: 0, count: count - 1))
        #expect(missing.isComplete == isComplete)
    }

    @Test func anyContentIsCompleteIfNoLengthWasAnnounced() {
        var missing = MissingBytes(of: nil)
        missing.arrived(ByteBuffer(string: "text"))
        #expect(missing.isComplete)
    }
}
