// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import Hoard
@testable import HoardHTTP

extension HTTPCache {
    /// The fences that are neither closed nor broken.
    var openFenceCount: Int { entries.fences.withLock { $0.count } }
}

extension TieredCache {
    /// Takes everything out of memory, as evictions would.
    func evictEverything() { memory.removeAll() }
}
