// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreGraphics)
    public import CoreGraphics
    internal import HoardImages

    extension ObservedImage {
        /// The image as one of Core Graphics, made once for each bitmap.
        public var systemImage: CGImage? {
            // Read first, so that an observer is told of the next one.
            guard let image else { return nil }
            if let made = rendering as? Rendering { return made.image }
            guard let made = image.cgImage else { return nil }
            rendering = Rendering(image: made)
            return made
        }

        /// The preview as an image of Core Graphics, made each time that it is asked for.
        public var systemPreview: CGImage? { preview?.cgImage }
    }

    private struct Rendering: Sendable {
        let image: CGImage
    }
#endif
