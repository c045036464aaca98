// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Bitmap {
    /// The square around the centre, cut to the circle that fits in.
    func inCircle() -> Bitmap {
        let square = croppedAroundCentre(toShapeOf: TargetSize(width: 1, height: 1))
        return square.rounded(diameter: square.width)
    }

    /// The bitmap with corners that are quarters of a circle. O(*n*) in the pixels of the bitmap.
    ///
    /// - Parameter diameter: From 0 to the shorter side, in pixels. It may be odd, so that it says more than a whole radius.
    func rounded(diameter: Int) -> Bitmap {
        guard diameter > 0 else { return self }
        var bytes = pixels
        var coverage = CornerCoverage(width: width, height: height, diameter: diameter)
        for row in 0..<coverage.side {
            coverage.update(row: row)
            Self.fade(&bytes, at: row * bytesPerRow, width: width, to: coverage.shares)
            // The middle row of an odd circle is its own mirror image.
            let mirrored = height - 1 - row
            if mirrored != row { Self.fade(&bytes, at: mirrored * bytesPerRow, width: width, to: coverage.shares) }
        }
        return Bitmap(DecodedPixels(width: width, height: height, bytes: bytes), original: nil)
    }

    /// Fades both ends of the row that begins at `start`.
    private static func fade(_ bytes: inout [UInt8], at start: Int, width: Int, to shares: [Int]) {
        for column in shares.indices where shares[column] < CornerCoverage.full {
            let mirrored = width - 1 - column
            fade(&bytes, at: start + column * 4, to: shares[column])
            if mirrored != column { fade(&bytes, at: start + mirrored * 4, to: shares[column]) }
        }
    }

    private static func fade(_ bytes: inout [UInt8], at index: Int, to share: Int) {
        let alpha = UInt8((Int(bytes[index + 3]) * share + CornerCoverage.full / 2) / CornerCoverage.full)
        bytes[index + 3] = alpha
        guard alpha == 0 else { return }
        for channel in 0..<3 { bytes[index + channel] = 0 }
    }
}

/// How much of each pixel in the upper left corner lies inside the rounded picture.
///
/// Every pixel has 16 times 16 samples. The other corners are mirror images, exactly, as all is counted in whole numbers.
private struct CornerCoverage {
    private static let samples = 16
    /// The share of a pixel that lies inside entirely.
    static let full = samples * samples

    private let width: Int
    private let height: Int
    /// The radius. A pixel is 32 units long, so that the centres of samples are at odd numbers, and half pixels at whole ones.
    private let radius: Int64
    /// The pixels of a row or column that a corner reaches into.
    let side: Int
    /// The share of each pixel of the row under way, from 0 to ``full``.
    private(set) var shares: [Int]

    init(width: Int, height: Int, diameter: Int) {
        self.width = width
        self.height = height
        radius = Int64(diameter) * Int64(Self.samples)
        side = (diameter + 1) / 2
        shares = Array(repeating: 0, count: side)
    }

    mutating func update(row: Int) {
        for column in shares.indices { shares[column] = 0 }
        for sample in 0..<Self.samples {
            let start = firstSampleInside(inRow: row * Self.samples + sample)
            let end = width * Self.samples - start
            for column in shares.indices {
                let left = column * Self.samples
                shares[column] += max(0, min(end, left + Self.samples) - max(start, left))
            }
        }
    }

    /// The first sample from the left that lies inside, in a row of samples. As many samples at the right end lie outside as before it.
    private func firstSampleInside(inRow row: Int) -> Int {
        let position = 2 * Int64(row) + 1
        let bottom = 2 * Int64(height) * Int64(Self.samples)
        // How far the row lies above the centre of the upper corners, or below that of the lower ones.
        let distance = max(0, radius - position, position - (bottom - radius))
        let reach = Self.squareRoot(radius * radius - distance * distance)
        return Int((radius - reach) / 2)
    }

    /// The square root, rounded down.
    private static func squareRoot(_ square: Int64) -> Int64 {
        var root = Int64(Double(square).squareRoot())
        while root * root > square { root -= 1 }
        while (root + 1) * (root + 1) <= square { root += 1 }
        return root
    }
}

extension TargetSize {
    /// Twice the radius, at most the shorter side.
    func diameter(ofRadius radius: Int) -> Int {
        let shorter = min(width, height)
        return radius >= (shorter + 1) / 2 ? shorter : 2 * radius
    }
}
