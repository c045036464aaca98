// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A decoded picture: rows of red, green, blue and alpha, 8 bits each, from the top left.
///
/// ```swift
/// let thumbnail = try Bitmap(decoding: data, maximumPixelSize: 200)
/// ```
///
/// Alpha is not multiplied into the colours. The values are those of the file: colour profiles and gamma are not applied.
///
/// A bitmap that was decoded can keep the bytes it came from. They are its form for storage (``Cachable``), so that a picture is never encoded again, and loses
/// nothing however often it is stored.
public struct Bitmap: Equatable, Sendable {
    /// In pixels, at least 1.
    public let width: Int
    /// In pixels, at least 1.
    public let height: Int

    /// `height` rows of ``bytesPerRow`` bytes.
    public let pixels: [UInt8]

    /// The bytes the bitmap was decoded from, if it keeps them.
    public let original: Data?

    /// A bitmap of these pixels.
    ///
    /// - Returns: `nil` if a side is less than 1, or there are not `width * height * 4` bytes.
    public init?(width: Int, height: Int, pixels: [UInt8]) {
        let (area, overflows) = width.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, !overflows, pixels.count % 4 == 0, pixels.count / 4 == area else { return nil }
        self.init(DecodedPixels(width: width, height: height, bytes: pixels), original: nil)
    }

    init(_ decoded: DecodedPixels, original: Data?) {
        width = decoded.width
        height = decoded.height
        pixels = decoded.bytes
        self.original = original
    }
}

extension Bitmap {
    /// The distance between rows.
    public var bytesPerRow: Int { width * 4 }

    /// The number of bytes that the bitmap takes up: those of its pixels, and of the original if it keeps that.
    public var byteCount: Int { pixels.count + (original?.count ?? 0) }

    /// One pixel, counted from the top left.
    public struct Pixel: Hashable, Sendable {
        /// The parts of the colour, and the opacity, from 0 to 255.
        public var red, green, blue, alpha: UInt8

        /// Creates a pixel; by default an opaque one.
        public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
            self.red = red
            self.green = green
            self.blue = blue
            self.alpha = alpha
        }
    }

    /// - Precondition: `x` and `y` lie inside.
    public subscript(x: Int, y: Int) -> Pixel {
        precondition((0..<width).contains(x) && (0..<height).contains(y), "The pixel lies outside the bitmap.")
        let index = y * bytesPerRow + x * 4
        return Pixel(red: pixels[index], green: pixels[index + 1], blue: pixels[index + 2], alpha: pixels[index + 3])
    }
}
