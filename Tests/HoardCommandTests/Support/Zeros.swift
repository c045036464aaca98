// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import NIOCore

/// So many zero bytes, made as they are asked for.
struct Zeros: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let count: Int
    /// Passed after the first 64 KiB, and after each further 64 KiB.
    var gate: Gate?

    struct AsyncIterator: AsyncIteratorProtocol {
        var left: Int
        var gate: Gate?
        private var isFirst = true
        private static let part = ByteBuffer(repeating: 0, count: 64 << 10)

        init(left: Int, gate: Gate?) { (self.left, self.gate) = (left, gate) }

        mutating func next() async throws -> ByteBuffer? {
            if !isFirst { await gate?.pass() }
            isFirst = false
            guard left > 0 else { return nil }
            let part = Self.part.getSlice(at: 0, length: Swift.min(left, Self.part.readableBytes))
            left -= part?.readableBytes ?? 0
            return part
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(left: count, gate: gate) }
}
