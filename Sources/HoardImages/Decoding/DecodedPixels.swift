// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The result of a decoder: rows of RGBA, not premultiplied, in the orientation in which the picture is to be seen.
struct DecodedPixels: Sendable {
    let width: Int
    let height: Int
    let bytes: [UInt8]
}

/// The size in which a picture is decoded.
struct TargetSize: Hashable, Sendable {
    let width: Int
    let height: Int

    /// A side of less than 1 counts as 1.
    init(width: Int, height: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
    }
}
