// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// What a decoder returns: rows of RGBA, not premultiplied, in the orientation in which the picture is to be seen.
struct DecodedPixels: Sendable {
    let width: Int
    let height: Int
    let bytes: [UInt8]
}

/// The size in which a picture is decoded.
struct TargetSize: Hashable, Sendable {
    let width: Int
    let height: Int

    /// The size of `width` times `height` pixels, scaled down in proportion so that neither side is longer than `maximum`. Each side keeps a pixel at least.
    init(fitting width: Int, _ height: Int, into maximum: Int?) {
        let longer = max(width, height)
        guard let maximum = maximum.map({ max(1, $0) }), longer > maximum else {
            self.width = width
            self.height = height
            return
        }
        // The product does not fit where `Int` has 32 bits.
        func scaled(_ side: Int) -> Int { max(1, Int((Int64(side) * Int64(maximum) + Int64(longer / 2)) / Int64(longer))) }
        self.width = scaled(width)
        self.height = scaled(height)
    }
}
