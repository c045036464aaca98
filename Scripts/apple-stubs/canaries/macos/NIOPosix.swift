// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOPosix

func refused() {
    _ = CLOCK_MONOTONIC_COARSE  // refused: cannot find 'CLOCK_MONOTONIC_COARSE'
    _ = MultiThreadedEventLoopGroup(numberOfThreads: "1")  // refused: cannot convert value of type 'String'
}
