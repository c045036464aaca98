// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    internal import ImageIO

    /// Decodes all formats that the system knows, by Image I/O, which scales down while it decodes.
    enum ImageIODecoder {
        static func decode(
            _ bytes: UnsafeRawBufferPointer,
            isBeginning: Bool,
            target: DecodeTarget,
            limits: ImageLimits
        ) throws(ImageError) -> DecodedPixels {
            try ImageIOImage(Data(bytes), isBeginning: isBeginning, limits: limits).frame(at: 0, target)
        }

        static func encode(_ bitmap: Bitmap) throws(ImageError) -> Data {
            let written = NSMutableData()
            guard let image = bitmap.cgImage, let destination = CGImageDestinationCreateWithData(written, "public.png" as CFString, 1, nil) else {
                throw ImageError(.failed, "The bitmap could not be written as PNG.")
            }
            CGImageDestinationAddImage(destination, image, nil)
            guard CGImageDestinationFinalize(destination) else { throw ImageError(.failed, "The bitmap could not be written as PNG.") }
            return written as Data
        }

        /// Draws the image into rows of RGBA. Core Graphics draws premultiplied only, so alpha is divided out again.
        static func pixels(of image: CGImage) throws(ImageError) -> DecodedPixels {
            var bytes = [UInt8](repeating: 0, count: image.width * image.height * 4)
            let hasDrawn = bytes.withUnsafeMutableBytes { bytes in
                guard let space = CGColorSpace(name: CGColorSpace.sRGB),
                    let context = CGContext(
                        data: bytes.baseAddress,
                        width: image.width,
                        height: image.height,
                        bitsPerComponent: 8,
                        bytesPerRow: image.width * 4,
                        space: space,
                        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue
                    )
                else { return false }
                context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
                return true
            }
            guard hasDrawn else { throw ImageError(.failed, "The system has no memory left for the image.") }
            for index in stride(from: 0, to: bytes.count, by: 4) where bytes[index + 3] != 255 && bytes[index + 3] != 0 {
                let alpha = Int(bytes[index + 3])
                for channel in index..<index + 3 { bytes[channel] = UInt8(min(255, (Int(bytes[channel]) * 255 + alpha / 2) / alpha)) }
            }
            return DecodedPixels(width: image.width, height: image.height, bytes: bytes)
        }
    }
#endif
