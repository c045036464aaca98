// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    internal import CHoardImages

    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    /// Decodes with the system's libraries: libpng and libjpeg, and those that traits bring.
    enum LibraryDecoder {
        /// The reason why no image of this kind can be decoded; `nil`: it can.
        static func reasonAgainst(_ format: ImageFormat) -> String? {
            switch format {
            case .png, .jpeg: return nil
            case .webP:
                #if WebP
                    return nil
                #else
                    return withoutTrait("WebP")
                #endif
            case .gif:
                #if GIF
                    return nil
                #else
                    return withoutTrait("GIF")
                #endif
            case .avif:
                #if AVIF
                    return nil
                #else
                    return withoutTrait("AVIF")
                #endif
            case .other(let name): return "\(name) images cannot be decoded here."
            }
        }

        private static func withoutTrait(_ name: String) -> String {
            "\(name) images cannot be decoded here: build the program with Hoard's package trait \(name)."
        }

        static func decode(
            _ bytes: UnsafeRawBufferPointer,
            _ format: ImageFormat,
            isBeginning: Bool,
            target: DecodeTarget,
            limits: ImageLimits
        ) throws(ImageError) -> DecodedPixels {
            var image = try LibraryImage(bytes, format, isBeginning: isBeginning, limits: limits)
            return try image.nextFrame(target)
        }

        static func encode(_ bitmap: Bitmap) throws(ImageError) -> Data {
            guard let width = UInt32(exactly: bitmap.width), let height = UInt32(exactly: bitmap.height) else {
                throw ImageError(.failed, "The bitmap is too large for a PNG.")
            }
            var written: UnsafeMutablePointer<UInt8>?
            var count = 0
            let status = bitmap.pixels.withUnsafeBufferPointer { pixels in
                hoard_png_encode(pixels.baseAddress, pixels.count, width, height, &written, &count)
            }
            defer { hoard_image_free(written) }
            guard status == HOARD_IMAGE_OK, let written else { throw ImageError(.failed, "The bitmap could not be written as PNG.") }
            return Data(bytes: written, count: count)
        }
    }
#endif
