// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Buffers for accesses from any thread, each with a lock.
final class StripedBuffers: Sendable {
    private let first: Mutex<AccessBuffer>
    private let second: Mutex<AccessBuffer>
    private let third: Mutex<AccessBuffer>
    private let fourth: Mutex<AccessBuffer>

    init(_ collector: TraceCollector) {
        first = Mutex(AccessBuffer(feed: collector.makeFeed()))
        second = Mutex(AccessBuffer(feed: collector.makeFeed()))
        third = Mutex(AccessBuffer(feed: collector.makeFeed()))
        fourth = Mutex(AccessBuffer(feed: collector.makeFeed()))
    }

    func withBuffer(for hash: UInt64, _ body: (inout AccessBuffer) -> Void) {
        switch hash >> 62 {
        case 0: first.withLock { body(&$0) }
        case 1: second.withLock { body(&$0) }
        case 2: third.withLock { body(&$0) }
        default: fourth.withLock { body(&$0) }
        }
    }

    func submit() {
        for part in UInt64(0)..<4 { withBuffer(for: part << 62) { $0.submit() } }
    }
}
