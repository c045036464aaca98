// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Bitmap {
    /// The bitmap scaled down: every pixel is the exact average of the area that it covers, weighted by alpha. O(*n*) in the pixels of the bitmap.
    ///
    /// Does the same as `sampler.c`, so that a picture has the same pixels whether the decoder scales it or this does.
    ///
    /// - Precondition: No side of `size` is longer than the bitmap's.
    func scaled(to size: TargetSize) -> Bitmap {
        precondition(size.width <= width && size.height <= height, "A bitmap is never enlarged.")
        guard size != self.size else { return self }
        var scaler = AreaScaler(from: self.size, to: size)
        for y in 0..<height { scaler.addRow(pixels, at: y * bytesPerRow) }
        return Bitmap(DecodedPixels(width: size.width, height: size.height, bytes: scaler.output), original: nil)
    }
}

/// The sum of the pixels in an area. Colours count by alpha.
///
/// The sums are below 255 * 255 times the number of the picture's pixels, which is far below 2^64 for any picture that fits into memory.
private struct AreaSum {
    var red: UInt64 = 0
    var green: UInt64 = 0
    var blue: UInt64 = 0
    var alpha: UInt64 = 0

    mutating func add(_ pixels: [UInt8], at index: Int, weight: Int) {
        let weighted = UInt64(pixels[index + 3]) &* UInt64(truncatingIfNeeded: weight)
        red &+= UInt64(pixels[index]) &* weighted
        green &+= UInt64(pixels[index + 1]) &* weighted
        blue &+= UInt64(pixels[index + 2]) &* weighted
        alpha &+= weighted
    }

    mutating func add(_ other: AreaSum, weight: Int) {
        let weight = UInt64(truncatingIfNeeded: weight)
        red &+= other.red &* weight
        green &+= other.green &* weight
        blue &+= other.blue &* weight
        alpha &+= other.alpha &* weight
    }
}

/// Makes rows of a smaller picture from rows of a larger one.
///
/// Lengths are counted in units that divide both sides: a source pixel is as many of them long as the target has pixels, and a target pixel as many as
/// the source has. So every sum is a whole number.
private struct AreaScaler {
    private let source: TargetSize
    private let target: TargetSize
    /// The target row under way, and the source row summed up for each of its pixels.
    private var sums: [AreaSum]
    private var rowSums: [AreaSum]
    /// The length of the target row under way that no source row has filled yet.
    private var room: Int
    private var position = 0
    private(set) var output: [UInt8]

    init(from source: TargetSize, to target: TargetSize) {
        self.source = source
        self.target = target
        sums = Array(repeating: AreaSum(), count: target.width)
        rowSums = sums
        room = source.height
        output = Array(repeating: 0, count: target.width * target.height * 4)
    }

    mutating func addRow(_ pixels: [UInt8], at start: Int) {
        sumUp(pixels, at: start)
        var rest = target.height
        while rest >= room {
            addRowSums(weight: room)
            emit()
            rest -= room
            room = source.height
        }
        if rest > 0 {
            addRowSums(weight: rest)
            room -= rest
        }
    }

    private mutating func sumUp(_ pixels: [UInt8], at start: Int) {
        var (sum, room, column) = (AreaSum(), source.width, 0)
        for index in stride(from: start, to: start + source.width * 4, by: 4) {
            var rest = target.width
            while rest >= room {
                sum.add(pixels, at: index, weight: room)
                rowSums[column] = sum
                column += 1
                sum = AreaSum()
                rest -= room
                room = source.width
            }
            if rest > 0 {
                sum.add(pixels, at: index, weight: rest)
                room -= rest
            }
        }
    }

    private mutating func addRowSums(weight: Int) {
        for column in 0..<target.width { sums[column].add(rowSums[column], weight: weight) }
    }

    /// Writes the averages of a target row. A pixel without alpha has no colour.
    private mutating func emit() {
        let area = UInt64(source.width) * UInt64(source.height)
        for column in 0..<target.width {
            let sum = sums[column]
            if sum.alpha > 0 {
                let half = sum.alpha / 2
                output[position] = UInt8((sum.red + half) / sum.alpha)
                output[position + 1] = UInt8((sum.green + half) / sum.alpha)
                output[position + 2] = UInt8((sum.blue + half) / sum.alpha)
                output[position + 3] = UInt8((sum.alpha + area / 2) / area)
                sums[column] = AreaSum()
            }
            position += 4
        }
    }
}
