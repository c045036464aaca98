// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCommand

@Suite struct AllocationArenasTests {
    #if canImport(Glibc)
        /// So many that the limit does not affect this process either.
        @Test(arguments: [1_000, .max])
        func theNumberIsLimited(serverThreads: Int) {
            #expect(AllocationArenas.limit(serverThreads: serverThreads, isSetByUser: false))
        }
    #endif

    @Test func whatTheUserHasSetHolds() {
        #expect(!AllocationArenas.limit(serverThreads: 1, isSetByUser: true))
    }
}
