// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Chooses the decoder of the platform: the system's libraries on Linux, Image I/O on Apple's systems.
enum BitmapDecoder {
    /// Decodes an image, the first frame if it moves.
    ///
    /// - Parameter isBeginning: Whether the end of a JPEG may be missing.
    /// - Returns: A result instead of an error, so that it passes through the closures that lend bytes.
    static func decode(
        _ bytes: UnsafeRawBufferPointer,
        isBeginning: Bool = false,
        target: DecodeTarget,
        limits: ImageLimits
    ) -> Result<DecodedPixels, ImageError> {
        Result { () throws(ImageError) in
            let format = try format(of: bytes, limits)
            #if Images && os(Linux)
                return try LibraryDecoder.decode(bytes, format, isBeginning: isBeginning, target: target, limits: limits)
            #elseif canImport(ImageIO)
                _ = format
                return try ImageIODecoder.decode(bytes, isBeginning: isBeginning, target: target, limits: limits)
            #else
                _ = format
                throw decoderNotAvailable
            #endif
        }
    }

    /// The image's kind, if it is not too long and can be decoded.
    static func format(of bytes: UnsafeRawBufferPointer, _ limits: ImageLimits) throws(ImageError) -> ImageFormat {
        guard bytes.count <= max(0, limits.maximumEncodedBytes) else { throw .tooManyBytes(limit: limits.maximumEncodedBytes) }
        guard let format = ImageFormat(ByteReader(bytes)) else { throw .notAnImage }
        #if Images && os(Linux)
            if let reason = LibraryDecoder.reasonAgainst(format) { throw ImageError(.unsupported, reason) }
        #endif
        return format
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
