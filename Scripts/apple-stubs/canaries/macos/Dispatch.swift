// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch

func refused() {
    _ = DispatchSource.makeMemoryPressureSource(eventMask: .low)  // refused: has no member 'low'
    let source: any DispatchSourceTimer = DispatchSource.makeMemoryPressureSource(eventMask: .all)  // refused: does not conform
    _ = CLOCK_MONOTONIC_COARSE  // refused: cannot find 'CLOCK_MONOTONIC_COARSE'
}
