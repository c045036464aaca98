// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The parts of a ThumbHash, which its first five bytes determine.
///
/// | Bits | Meaning |
/// | --- | --- |
/// | 0–17 | Averages of the luminance, of yellow against blue, of red against green: 6 bits each |
/// | 18–22 | Scale of the luminance's coefficients |
/// | 23 | Whether there is alpha |
/// | 24–26 | Luminance waves along the shorter side |
/// | 27–38 | Scales of the two colour channels' coefficients: 6 bits each |
/// | 39 | Whether the picture is wider than high |
///
/// With alpha, a byte follows: 4 bits for its average, 4 for its scale. The rest are the coefficients of the channels, 4 bits each, the lower half of a byte first.
struct ThumbHashLayout: Hashable, Sendable {
    let hasAlpha: Bool
    /// Luminance waves from left to right, at least 1. Their ratio to ``rows`` is the picture's aspect ratio.
    let columns: Int
    /// Luminance waves from top to bottom, at least 1.
    let rows: Int

    static let colorFrequencies = CosineTransform.frequencies(columns: 3, rows: 3)
    static let alphaFrequencies = CosineTransform.frequencies(columns: 5, rows: 5)

    init(width: Int, height: Int, hasAlpha: Bool) {
        let limit = Double(Self.waves(hasAlpha: hasAlpha))
        let longer = Double(max(width, height))
        self.hasAlpha = hasAlpha
        columns = max(1, Int((limit * Double(width) / longer).rounded()))
        rows = max(1, Int((limit * Double(height) / longer).rounded()))
    }

    init?(header: [UInt8]) {
        guard header.count >= 5 else { return nil }
        let shorter = Int(header[3] & 7)
        guard shorter > 0 else { return nil }
        hasAlpha = header[2] & 0x80 != 0
        let longer = Self.waves(hasAlpha: hasAlpha)
        let isLandscape = header[4] & 0x80 != 0
        columns = isLandscape ? longer : shorter
        rows = isLandscape ? shorter : longer
    }

    /// The luminance waves along the longer side.
    private static func waves(hasAlpha: Bool) -> Int { hasAlpha ? 5 : 7 }

    /// The luminance has three waves along a side at least, even if that is so short that its ratio needs fewer.
    var luminanceFrequencies: [CosineTransform.Frequency] { CosineTransform.frequencies(columns: max(3, columns), rows: max(3, rows)) }

    /// The index of the first byte with coefficients.
    var coefficientsStart: Int { hasAlpha ? 6 : 5 }

    var byteCount: Int {
        let count = luminanceFrequencies.count + 2 * Self.colorFrequencies.count + (hasAlpha ? Self.alphaFrequencies.count : 0)
        return coefficientsStart + (count + 1) / 2
    }
}
