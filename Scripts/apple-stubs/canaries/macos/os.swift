// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import os

func refused() async {
    let lock = OSAllocatedUnfairLock()
    lock.lock()  // refused: unavailable from asynchronous contexts
    let counter = OSAllocatedUnfairLock(initialState: 0)
    counter.lockNow()  // refused: has no member 'lockNow'
    var count = 0
    counter.withLock { _ in count += 1 }  // refused: mutation of captured var 'count'
}
