// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import CHoardImagesTestSupport
    import Foundation
    import HoardImages
    import HoardTesting
    import Testing

    /// Rows of RGBA that a test knows. They are encoded in many ways, and compared with the decoder's result.
    struct Picture: Equatable {
        var width: Int
        var height: Int
        var pixels: [UInt8]

        init(width: Int, height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]) {
            self.width = width
            self.height = height
            pixels = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
        }

        init(_ bitmap: Bitmap) {
            (width, height, pixels) = (bitmap.width, bitmap.height, bitmap.pixels)
        }

        /// Noise, with alpha or opaque.
        static func noise(_ width: Int, _ height: Int, hasAlpha: Bool = false, using generator: inout SeededGenerator) -> Picture {
            Picture(width: width, height: height) { _, _ in
                let bits = generator.next()
                return (0..<3).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) } + [hasAlpha ? UInt8(truncatingIfNeeded: bits >> 24) : 255]
            }
        }

        /// Smooth colours, which survive a JPEG nearly unchanged. No two corners are alike.
        static func gradient(_ width: Int, _ height: Int) -> Picture {
            Picture(width: width, height: height) { x, y in
                [UInt8(20 + x * 200 / max(1, width)), UInt8(20 + y * 200 / max(1, height)), UInt8(120), 255]
            }
        }

        subscript(x: Int, y: Int) -> [UInt8] { Array(pixels[(y * width + x) * 4..<(y * width + x) * 4 + 4]) }

        /// The exact average over areas, in the plainest way: every destination pixel looks at all source pixels that it covers.
        func scaled(to newWidth: Int, _ newHeight: Int) -> Picture {
            // Colours that are not visible stay as they are.
            if (newWidth, newHeight) == (width, height) { return self }
            func covered(_ index: Int, _ source: Int, _ target: Int) -> [(index: Int, weight: Int)] {
                let (start, end) = (index * source, (index + 1) * source)
                return (start / target...(end - 1) / target).map { ($0, min(end, ($0 + 1) * target) - max(start, $0 * target)) }
            }
            return Picture(width: newWidth, height: newHeight) { x, y in
                var (sums, alphas, weights) = ([0, 0, 0], 0, 0)
                for row in covered(y, height, newHeight) {
                    for column in covered(x, width, newWidth) {
                        let pixel = self[column.index, row.index]
                        let weight = row.weight * column.weight
                        let alpha = Int(pixel[3]) * weight
                        for channel in 0..<3 { sums[channel] += Int(pixel[channel]) * alpha }
                        alphas += alpha
                        weights += weight
                    }
                }
                guard alphas > 0 else { return [0, 0, 0, 0] }
                return sums.map { UInt8(($0 + alphas / 2) / alphas) } + [UInt8((alphas + weights / 2) / weights)]
            }
        }

        /// The picture as it is seen if a file with these pixels asks for an orientation, written as EXIF describes it: where the stored row 0 and column 0 are.
        func oriented(_ orientation: Int) -> Picture {
            let (right, bottom) = (width - 1, height - 1)
            return switch orientation {
            case 2: Picture(width: width, height: height) { x, y in self[right - x, y] }
            case 3: Picture(width: width, height: height) { x, y in self[right - x, bottom - y] }
            case 4: Picture(width: width, height: height) { x, y in self[x, bottom - y] }
            case 5: Picture(width: height, height: width) { x, y in self[y, x] }
            case 6: Picture(width: height, height: width) { x, y in self[y, bottom - x] }
            case 7: Picture(width: height, height: width) { x, y in self[right - y, bottom - x] }
            case 8: Picture(width: height, height: width) { x, y in self[right - y, x] }
            default: self
            }
        }

        /// Turned by a quarter, against the clock.
        func turned() -> Picture { Picture(width: height, height: width) { x, y in self[width - 1 - y, x] } }

        /// Left and right exchanged.
        func mirrored() -> Picture { Picture(width: width, height: height) { x, y in self[width - 1 - x, y] } }

        /// Top and bottom exchanged.
        func flipped() -> Picture { Picture(width: width, height: height) { x, y in self[x, height - 1 - y] } }

        /// The greatest difference of any channel; 255 if the sizes differ.
        func greatestDifference(from other: Picture) -> Int {
            guard width == other.width, height == other.height else { return 255 }
            return zip(pixels, other.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
        }
    }

    extension Picture: CustomTestStringConvertible {
        var testDescription: String { "\(width) × \(height), \(pixels.prefix(16)) …" }
    }
#endif
