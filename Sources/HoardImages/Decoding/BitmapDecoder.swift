// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Chooses the decoder of the platform: libpng and libjpeg on Linux, Image I/O on Apple's systems.
enum BitmapDecoder {
    /// A result instead of an error, so that it passes through the closures that lend bytes.
    static func decode(_ bytes: UnsafeRawBufferPointer, maximumPixelSize: Int?, limits: ImageLimits) -> Result<DecodedPixels, ImageError> {
        guard bytes.count <= max(0, limits.maximumEncodedBytes) else { return .failure(.tooManyBytes(limit: limits.maximumEncodedBytes)) }
        let reader = ByteReader(bytes)
        guard let format = ImageFormat(reader) else { return .failure(.notAnImage) }
        return Result { () throws(ImageError) in
            #if Images && os(Linux)
                if case .other(let name) = format {
                    throw ImageError(.unsupported, "\(name) images cannot be decoded here, only PNG and JPEG.")
                }
                let orientation = Orientation(of: format, reader)
                return try LibraryDecoder.decode(bytes, orientation: orientation, maximumPixelSize: maximumPixelSize, limits: limits)
            #elseif canImport(ImageIO)
                return try ImageIODecoder.decode(bytes, maximumPixelSize: maximumPixelSize, limits: limits)
            #else
                _ = format
                throw decoderNotAvailable
            #endif
        }
    }

    /// Writes a bitmap as PNG.
    static func encode(_ bitmap: Bitmap) throws(ImageError) -> Data {
        #if Images && os(Linux)
            try LibraryDecoder.encode(bitmap)
        #elseif canImport(ImageIO)
            try ImageIODecoder.encode(bitmap)
        #else
            throw decoderNotAvailable
        #endif
    }

    static let decoderNotAvailable = ImageError(
        .decoderNotAvailable,
        "This program was built without a decoder for images; build it with Hoard's package trait Images."
    )
}
