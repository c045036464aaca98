// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The cosine waves along the sides of a picture, into which a channel is taken apart and from which it is put together.
///
/// A wave of frequency *f* has the value cos(π / *n* · *f* · (*i* + ½)) at the pixel *i* of *n*.
struct CosineTransform {
    struct Frequency: Hashable, Sendable {
        let x: Int
        let y: Int
    }

    let width: Int
    let height: Int
    private let horizontal: [[Double]]
    private let vertical: [[Double]]

    /// - Parameter count: The waves along each side: 0 ..< `count` are the frequencies.
    init(width: Int, height: Int, count: Int) {
        self.width = width
        self.height = height
        horizontal = (0..<count).map { Self.wave($0, along: width) }
        vertical = (0..<count).map { Self.wave($0, along: height) }
    }

    private static func wave(_ frequency: Int, along length: Int) -> [Double] {
        (0..<length).map { cos(Double.pi / Double(length) * Double(frequency) * (Double($0) + 0.5)) }
    }

    /// The frequencies below the diagonal from `columns` to `rows`, in rows from the lowest. The lowest of all, which is the average, is left out.
    static func frequencies(columns: Int, rows: Int) -> [Frequency] {
        (0..<rows).flatMap { y in
            (0..<columns).prefix { $0 * rows < columns * (rows - y) }.map { Frequency(x: $0, y: y) }
        }
        .filter { $0.x > 0 || $0.y > 0 }
    }

    /// The mean of the channel's values, each multiplied with both waves there. O(*n*) in the pixels.
    ///
    /// The order of the operations counts: it is that of other encoders, so that the last bit is the same.
    func coefficient(of values: [Double], at frequency: Frequency) -> Double {
        let wave = horizontal[frequency.x]
        var sum = 0.0
        for y in 0..<height {
            let factor = vertical[frequency.y][y]
            for x in 0..<width { sum += values[y * width + x] * wave[x] * factor }
        }
        return sum / Double(width * height)
    }

    /// The values in a row of pixels: the sum of an average and of twice each wave, multiplied with its coefficient.
    func row(_ y: Int, average: Double, coefficients: [Double], frequencies: [Frequency]) -> [Double] {
        var heights = Array(repeating: 0.0, count: horizontal.count)
        for (coefficient, frequency) in zip(coefficients, frequencies) {
            heights[frequency.x] += 2 * coefficient * vertical[frequency.y][y]
        }
        var row = Array(repeating: average, count: width)
        for (height, wave) in zip(heights, horizontal) where height != 0 {
            for x in 0..<width { row[x] += height * wave[x] }
        }
        return row
    }
}
