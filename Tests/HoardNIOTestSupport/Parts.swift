// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HoardTesting
package import NIOCore

/// A body whose parts a closure makes when they are asked for.
package struct Parts: AsyncSequence, Sendable {
    private let makeNext: @Sendable () -> (() async throws -> ByteBuffer?)

    package init(_ makeNext: @escaping @Sendable () -> (() async throws -> ByteBuffer?)) {
        self.makeNext = makeNext
    }

    /// Yields `count` parts of `byteCount` bytes each, and counts on `produced` the bytes that have been asked for.
    package static func repeating(byteCount: Int, count: Int, produced: Counter = Counter()) -> Parts {
        let part = ByteBuffer(repeating: UInt8(ascii: "x"), count: byteCount)
        return Parts {
            var missing = count
            return {
                guard missing > 0 else { return nil }
                missing -= 1
                produced.add(byteCount)
                return part
            }
        }
    }

    /// Yields these texts, then fails or ends.
    package static func texts(_ texts: String..., failing error: (any Error & Sendable)? = nil) -> Parts {
        Parts {
            var rest = texts[...]
            return {
                if let text = rest.popFirst() { return ByteBuffer(string: text) }
                if let error { throw error }
                return nil
            }
        }
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let nextPart: () async throws -> ByteBuffer?

        package mutating func next() async throws -> ByteBuffer? {
            try await nextPart()
        }
    }

    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(nextPart: makeNext())
    }
}

package struct TestFailure: Error, Equatable {
    package init() {}
}
