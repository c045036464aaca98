// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Tells whether content is as long as it was announced.
struct MissingBytes: Sendable {
    /// `nil` if no length was announced.
    private var count: Int?

    init(of length: Int?) {
        count = length
    }

    mutating func arrived(_ part: ByteBuffer) {
        count? -= part.readableBytes
    }

    /// Neither a byte too few nor one too many has arrived.
    var isComplete: Bool { count ?? 0 == 0 }
}
