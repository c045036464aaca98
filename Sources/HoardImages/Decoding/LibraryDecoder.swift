// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    internal import CHoardImages

    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    /// PNG and JPEG by libpng and libjpeg, one row at a time.
    enum LibraryDecoder {
        static func decode(
            _ bytes: UnsafeRawBufferPointer,
            orientation: Orientation,
            maximumPixelSize: Int?,
            limits: ImageLimits
        ) throws(ImageError) -> DecodedPixels {
            let libraryLimits = hoard_image_limits(
                pixels: UInt64(max(0, limits.maximumPixelCount)),
                working_bytes: UInt64(max(0, limits.maximumWorkingBytes)),
                scans: UInt32(clamping: limits.maximumScanCount)
            )
            var opened: OpaquePointer?
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            try check(hoard_image_open(start, bytes.count, libraryLimits, &opened), duringHeader: true, limits)
            guard let image = opened else { throw ImageError.damaged }
            defer { hoard_image_close(image) }
            let info = hoard_image_get_info(image)
            // Both are below 2^31, and their product is below 2^40.
            let size = TargetSize(fitting: Int(info.width), Int(info.height), into: maximumPixelSize)
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
            try check(status, duringHeader: false, limits)
            let (width, height) = orientation.exchangesSides ? (size.height, size.width) : (size.width, size.height)
            return DecodedPixels(width: width, height: height, bytes: pixels)
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

        private static func check(_ status: hoard_image_status, duringHeader: Bool, _ limits: ImageLimits) throws(ImageError) {
            switch status {
            case HOARD_IMAGE_OK: return
            case HOARD_IMAGE_NOT_AN_IMAGE: throw .notAnImage
            case HOARD_IMAGE_UNSUPPORTED:
                throw ImageError(.unsupported, "The image is of a kind that cannot be decoded here, such as a lossless JPEG.")
            case HOARD_IMAGE_TOO_LARGE where duringHeader: throw .tooManyPixels(limit: limits.maximumPixelCount)
            case HOARD_IMAGE_TOO_LARGE: throw .tooMuchMemory(limit: limits.maximumWorkingBytes)
            case HOARD_IMAGE_TOO_MANY_SCANS:
                throw ImageError(.tooLarge, "The image has more than the \(limits.maximumScanCount) scans allowed.")
            case HOARD_IMAGE_DAMAGED: throw .damaged
            case HOARD_IMAGE_STOPPED: throw .cancelled
            case HOARD_IMAGE_NO_MEMORY: throw ImageError(.failed, "The system has no memory left for the image.")
            default: throw ImageError(.failed, "The image could not be decoded.")
            }
        }
    }
#endif
