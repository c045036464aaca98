// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix

/// The memory that the connections of one event loop use by turns, so that answering a request at once allocates nothing.
final class LoopScratch {
    /// The buffer in which responses are put together. As a rule the network has taken the earlier ones, and then its
    /// memory is used again.
    var output = ByteBuffer()
    /// The exchanges to be told of when their responses have been written.
    var reports: [ExchangeReport] = []

    /// A buffer larger than this is not kept.
    private static let maximumKeptByteCount = 256 << 10

    func takeOutput() -> ByteBuffer {
        var taken = ByteBuffer()
        swap(&taken, &output)
        if taken.capacity > Self.maximumKeptByteCount { return ByteBuffer() }
        taken.clear()
        return taken
    }

    // Unchecked because each thread gets a value of its own, which it never hands out.
    nonisolated(unsafe) private static let ofThread = ThreadSpecificVariable<LoopScratch>()

    /// The one of the thread, which is the one of its event loop.
    static var current: LoopScratch {
        if let current = ofThread.currentValue { return current }
        let new = LoopScratch()
        ofThread.currentValue = new
        return new
    }
}
