// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where an image is shown.
struct ImagePlace: Equatable, Sendable {
    /// In points.
    var width, height: Double
    /// The number of pixels that a point has on each side. Less than 1 counts as 1: the size is known, and the screen is not yet.
    var scale: Double

    /// In pixels; `nil` for a place without a size.
    var longerSide: Int? {
        let pixels = (Swift.max(width, height) * Swift.max(scale, 1)).rounded(.up)
        return pixels >= 1 && pixels.isFinite ? Int(min(pixels, 1_000_000)) : nil
    }
}
