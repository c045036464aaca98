// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// So many zero bytes, made as they are asked for.
struct Zeros: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let count: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        var left: Int
        private static let part = ByteBuffer(repeating: 0, count: 64 << 10)

        init(left: Int) { self.left = left }

        mutating func next() async throws -> ByteBuffer? {
            guard left > 0 else { return nil }
            let part = Self.part.getSlice(at: 0, length: Swift.min(left, Self.part.readableBytes))
            left -= part?.readableBytes ?? 0
            return part
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(left: count) }
}
