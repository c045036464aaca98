// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import os

func refused(_ lock: UnsafeMutablePointer<os_unfair_lock>) async {
    os_unfair_lock_lock(lock)  // refused: unavailable from asynchronous contexts
}

func refused(_ lock: UnsafeMutablePointer<UInt32>) {
    os_unfair_lock_unlock(lock)  // refused: cannot convert value of type 'UnsafeMutablePointer<UInt32>'
    let word = os_unfair_lock(0)  // refused: argument passed to call that takes no arguments
}
