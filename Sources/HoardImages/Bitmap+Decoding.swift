// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Bitmap {
    /// Decodes a PNG or a JPEG; with the traits `WebP`, `GIF` and `AVIF` these kinds, too; on Apple's systems whatever they can decode. The orientation that the
    /// file asks for is applied. Of an animation it is the first frame; ``AnimatedImage`` has them all.
    ///
    /// Scaling down happens while the picture is read: memory is taken for the returned bitmap, and for a few rows.
    /// Some kinds have to be held whole (``ImageLimits/maximumWorkingBytes``); of an interlaced PNG eight times the
    /// returned bitmap is held besides, or the whole picture if that is less.
    ///
    /// Never suspends. O(*n*) in the pixels of the original; called in a task, it ends early when that is cancelled.
    ///
    /// - Parameters:
    ///   - maximumPixelSize: The length of the longer side, in pixels, that is enough. `nil`: the full size. Pictures are never enlarged.
    ///   - keepsOriginal: Whether the bitmap keeps `data` as its form for storage.
    /// - Throws: ``ImageError`` with the code `notAnImage`, `unsupported`, `tooLarge`, `damaged`, `cancelled`, `failed` or `decoderNotAvailable`. A file that ends early is
    ///   damaged, even if only its end is missing.
    public init(
        decoding data: Data,
        maximumPixelSize: Int? = nil,
        limits: ImageLimits = ImageLimits(),
        keepsOriginal: Bool = true
    ) throws(ImageError) {
        let decoded = data.withUnsafeBytes { bytes in
            BitmapDecoder.decode(bytes, target: DecodeTarget(maximumPixelSize: maximumPixelSize, processors: []), limits: limits)
        }
        self.init(try decoded.get(), original: keepsOriginal ? data : nil)
    }
}
