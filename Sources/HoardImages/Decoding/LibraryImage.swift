// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    internal import CHoardImages

    /// An image that one of the system's libraries reads, frame by frame.
    ///
    /// Must not outlive the bytes that it was opened with.
    struct LibraryImage: ~Copyable {
        private let image: OpaquePointer
        private let info: hoard_image_info
        private let orientation: Orientation
        private let limits: ImageLimits

        /// Reads the header.
        ///
        /// - Parameter isBeginning: Whether the end of a JPEG may be missing. The end of every other file has to be there.
        init(_ bytes: UnsafeRawBufferPointer, _ format: ImageFormat, isBeginning: Bool = false, limits: ImageLimits) throws(ImageError) {
            let libraryLimits = hoard_image_limits(
                pixels: UInt64(max(0, limits.maximumPixelCount)),
                working_bytes: UInt64(max(0, limits.maximumWorkingBytes)),
                scans: UInt32(clamping: limits.maximumScanCount),
                frames: UInt32(clamping: limits.maximumFrameCount)
            )
            var opened: OpaquePointer?
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            try Self.check(hoard_image_open(start, bytes.count, isBeginning ? 1 : 0, libraryLimits, &opened), limits)
            guard let image = opened else { throw ImageError.damaged }
            self.image = image
            self.limits = limits
            info = hoard_image_get_info(image)
            orientation = Orientation(value: Int(info.orientation)) ?? Orientation(of: format, ByteReader(bytes))
        }

        deinit { hoard_image_close(image) }

        var frameCount: Int { Int(info.frames) }

        /// The number of times that the frames are shown in all; `nil`: for ever.
        var playCount: Int? { info.plays == 0 ? nil : Int(info.plays) }

        /// Decodes the next frame. Each can be decoded once. A frame that fails is the last.
        mutating func nextFrame(_ target: DecodeTarget) throws(ImageError) -> DecodedPixels {
            // Both sides are below 2^31, and their product is below 2^40.
            let size = target.size(of: Int(info.width), Int(info.height), exchangesSides: orientation.exchangesSides)
            let byteCount = size.width * size.height * 4
            guard byteCount <= limits.maximumWorkingBytes else { throw ImageError.tooMuchMemory(limit: limits.maximumWorkingBytes) }
            var pixels = [UInt8](repeating: 0, count: byteCount)
            let status = pixels.withUnsafeMutableBufferPointer { pixels in
                hoard_image_decode(
                    image,
                    UInt32(size.width),
                    UInt32(size.height),
                    UInt32(orientation.value),
                    pixels.baseAddress,
                    pixels.count,
                    { _ in Task.isCancelled ? 1 : 0 },
                    nil
                )
            }
            try Self.check(status, limits)
            let shown = orientation.exchangesSides ? size.exchanged : size
            return DecodedPixels(width: shown.width, height: shown.height, bytes: pixels)
        }

        /// The most bytes that the library has held so far, as far as that is known, the pixels of the last frame included.
        var heldByteCount: Int { Int(clamping: hoard_image_peak_bytes(image)) }

        /// The time for which the frame decoded last is shown.
        var duration: Duration { .milliseconds(Int64(hoard_image_get_duration(image))) }

        private static func check(_ status: hoard_image_status, _ limits: ImageLimits) throws(ImageError) {
            switch status {
            case HOARD_IMAGE_OK: return
            case HOARD_IMAGE_NOT_AN_IMAGE: throw .notAnImage
            case HOARD_IMAGE_UNSUPPORTED:
                throw ImageError(.unsupported, "The image is of a kind that cannot be decoded here, such as a lossless JPEG.")
            case HOARD_IMAGE_TOO_LARGE: throw .tooManyPixels(limit: limits.maximumPixelCount)
            case HOARD_IMAGE_TOO_MUCH_MEMORY: throw .tooMuchMemory(limit: limits.maximumWorkingBytes)
            case HOARD_IMAGE_TOO_MANY_SCANS:
                throw ImageError(.tooLarge, "The image has more than the \(limits.maximumScanCount) scans allowed.")
            case HOARD_IMAGE_TOO_MANY_FRAMES: throw .tooManyFrames(limit: limits.maximumFrameCount)
            case HOARD_IMAGE_DAMAGED: throw .damaged
            case HOARD_IMAGE_STOPPED: throw .cancelled
            case HOARD_IMAGE_NO_MEMORY: throw ImageError(.failed, "The system has no memory left for the image.")
            default: throw ImageError(.failed, "The image could not be decoded.")
            }
        }
    }
#endif
