// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    internal import ImageIO

    /// An image that Image I/O reads, frame by frame.
    struct ImageIOImage {
        private let source: CGImageSource
        private let limits: ImageLimits

        /// At least 1.
        let frameCount: Int

        /// Reads the header.
        ///
        /// - Parameter isBeginning: Whether the end of the image may be missing.
        init(_ data: Data, isBeginning: Bool = false, limits: ImageLimits) throws(ImageError) {
            let options = [kCGImageSourceShouldCache: false] as CFDictionary
            guard let source = CGImageSourceCreateWithData(data as CFData, options), CGImageSourceGetCount(source) > 0 else {
                throw ImageError.notAnImage
            }
            guard isBeginning || CGImageSourceGetStatus(source) == .statusComplete else { throw ImageError.damaged }
            self.source = source
            self.limits = limits
            // Other files have several pictures, too: the pages of a TIFF, or the sizes of an icon.
            let properties = CGImageSourceCopyProperties(source, nil) as? [CFString: Any]
            let isAnimation = Self.animations.contains { properties?[$0.dictionary] != nil }
            frameCount = isAnimation ? CGImageSourceGetCount(source) : 1
            guard frameCount == 1 || frameCount <= limits.maximumFrameCount else { throw .tooManyFrames(limit: limits.maximumFrameCount) }
            guard isBeginning || CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete else { throw ImageError.damaged }
        }

        func frame(at index: Int, _ target: DecodeTarget) throws(ImageError) -> DecodedPixels {
            let properties = CGImageSourceCopyPropertiesAtIndex(source, index, nil) as? [CFString: Any]
            guard let width = properties?[kCGImagePropertyPixelWidth] as? Int, let height = properties?[kCGImagePropertyPixelHeight] as? Int,
                width > 0, height > 0
            else { throw ImageError.damaged }
            let (area, overflows) = width.multipliedReportingOverflow(by: height)
            guard !overflows, area <= limits.maximumPixelCount else { throw .tooManyPixels(limit: limits.maximumPixelCount) }
            let orientation = (properties?[kCGImagePropertyOrientation] as? Int).flatMap { Orientation(value: $0) } ?? .asStored
            let size = target.size(of: width, height, exchangesSides: orientation.exchangesSides)
            guard size.width * size.height <= limits.maximumWorkingBytes / 4 else { throw .tooMuchMemory(limit: limits.maximumWorkingBytes) }
            if Task.isCancelled { throw ImageError.cancelled }
            let thumbnailOptions: [CFString: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways: true,
                kCGImageSourceCreateThumbnailWithTransform: true,
                kCGImageSourceThumbnailMaxPixelSize: max(size.width, size.height),
                kCGImageSourceShouldCacheImmediately: false,
            ]
            guard let image = CGImageSourceCreateThumbnailAtIndex(source, index, thumbnailOptions as CFDictionary) else { throw ImageError.damaged }
            return try ImageIODecoder.pixels(of: image)
        }

        /// The dictionaries that kinds of animations have, with the names of their times and rounds.
        private static var animations: [(dictionary: CFString, time: CFString, clampedTime: CFString, rounds: CFString)] {
            [
                (kCGImagePropertyGIFDictionary, kCGImagePropertyGIFUnclampedDelayTime, kCGImagePropertyGIFDelayTime, kCGImagePropertyGIFLoopCount),
                (kCGImagePropertyPNGDictionary, kCGImagePropertyAPNGUnclampedDelayTime, kCGImagePropertyAPNGDelayTime, kCGImagePropertyAPNGLoopCount),
                (
                    kCGImagePropertyWebPDictionary, kCGImagePropertyWebPUnclampedDelayTime, kCGImagePropertyWebPDelayTime,
                    kCGImagePropertyWebPLoopCount
                ),
                (
                    kCGImagePropertyHEICSDictionary, kCGImagePropertyHEICSUnclampedDelayTime, kCGImagePropertyHEICSDelayTime,
                    kCGImagePropertyHEICSLoopCount
                ),
                (
                    kCGImagePropertyAVISDictionary, kCGImagePropertyHEICSUnclampedDelayTime, kCGImagePropertyHEICSDelayTime,
                    kCGImagePropertyHEICSLoopCount
                ),
            ]
        }

        /// The time for which a frame is shown; zero if the image does not say.
        func duration(ofFrame index: Int) -> Duration {
            let properties = CGImageSourceCopyPropertiesAtIndex(source, index, nil) as? [CFString: Any]
            for animation in Self.animations {
                guard let values = properties?[animation.dictionary] as? [CFString: Any] else { continue }
                if let seconds = values[animation.time] as? Double ?? values[animation.clampedTime] as? Double, seconds >= 0, seconds < 1_000_000 {
                    return .milliseconds(Int64(seconds * 1000))
                }
            }
            return .zero
        }

        /// The number of times that the frames are shown in all; `nil`: for ever.
        var playCount: Int? {
            guard frameCount > 1 else { return 1 }
            let properties = CGImageSourceCopyProperties(source, nil) as? [CFString: Any]
            for animation in Self.animations {
                guard let values = properties?[animation.dictionary] as? [CFString: Any], let count = values[animation.rounds] as? Int else {
                    continue
                }
                return count > 0 ? count : nil
            }
            return 1
        }
    }
#endif
