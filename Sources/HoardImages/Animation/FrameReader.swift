// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Decodes the frames of an image in their order, each once.
final class FrameReader {
    /// At least 1.
    let frameCount: Int
    /// The number of times that the frames are shown in all; `nil`: for ever.
    let playCount: Int?

    private let target: DecodeTarget

    /// The most bytes that the reader has held so far, as far as that is known.
    var heldByteCount: Int {
        #if Images && os(Linux)
            bytes.count + (image?.heldByteCount ?? 0)
        #else
            0
        #endif
    }

    #if Images && os(Linux)
        /// A copy that stays where it is, as the libraries point into it.
        private let bytes: UnsafeMutableRawBufferPointer
        private var image: LibraryImage?

        init(_ data: Data, target: DecodeTarget, limits: ImageLimits) throws(ImageError) {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, data.count), alignment: 16)
            data.withUnsafeBytes { bytes.copyMemory(from: $0) }
            let view = UnsafeRawBufferPointer(rebasing: bytes[..<data.count])
            do {
                let image = try LibraryImage(view, try BitmapDecoder.format(of: view, limits), limits: limits)
                (frameCount, playCount) = (image.frameCount, image.playCount)
                self.image = consume image
            } catch {
                bytes.deallocate()
                throw error
            }
            self.target = target
            self.bytes = bytes
        }

        deinit {
            image = nil
            bytes.deallocate()
        }

        /// The next frame.
        ///
        /// - Throws: ``ImageError``. A frame that fails is the last.
        func next() throws(ImageError) -> AnimationFrame {
            guard let pixels = try image?.nextFrame(target), let duration = image?.duration else { throw ImageError.damaged }
            return AnimationFrame(bitmap: Bitmap(pixels, original: nil), duration: duration)
        }
    #elseif canImport(ImageIO)
        private let image: ImageIOImage
        private var position = 0

        init(_ data: Data, target: DecodeTarget, limits: ImageLimits) throws(ImageError) {
            let format = data.withUnsafeBytes { bytes in Result { () throws(ImageError) in try BitmapDecoder.format(of: bytes, limits) } }
            _ = try format.get()
            image = try ImageIOImage(data, limits: limits)
            (frameCount, playCount) = (image.frameCount, image.playCount)
            self.target = target
        }

        /// The next frame.
        ///
        /// - Throws: ``ImageError``.
        func next() throws(ImageError) -> AnimationFrame {
            let frame = AnimationFrame(
                bitmap: Bitmap(try image.frame(at: position, target), original: nil),
                duration: image.duration(ofFrame: position)
            )
            position += 1
            return frame
        }
    #else
        init(_ data: Data, target: DecodeTarget, limits: ImageLimits) throws(ImageError) { throw BitmapDecoder.decoderNotAvailable }

        /// The next frame.
        func next() throws(ImageError) -> AnimationFrame { throw BitmapDecoder.decoderNotAvailable }
    #endif
}
