// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The limits on the cost of an image. One that exceeds them is refused.
///
/// An image is a small program that a stranger wrote: a few hundred bytes can announce a picture of many gigabytes. The header is judged before
/// anything is decoded, and costs that the header does not tell are limited while decoding. Negative limits count as 0.
public struct ImageLimits: Hashable, Sendable {
    /// The most bytes of an original. Default: 64 MiB.
    public var maximumEncodedBytes: Int = 64 << 20

    /// The most pixels of an original, whatever the size it is shown in: each of them has to be looked at. No side may be
    /// longer than a million pixels in any case. Default: 100 million.
    public var maximumPixelCount: Int = 100_000_000

    /// The most bytes of memory that decoding one image may take, the pixels it returns included. Default: 256 MiB, which is a picture of 64 million
    /// pixels in full, or a larger one scaled down.
    ///
    /// Some formats have to be held whole, whatever the size in which they are shown. For each pixel of the original, a progressive JPEG takes about
    /// 3 to 6 bytes, a lossless or transparent WebP up to 6, an AVIF 12 or more, and a GIF 4 or 8. Only libjpeg and libpng keep this limit for their
    /// own memory. The memory of the other libraries is estimated beforehand, and a malicious WebP or AVIF can take some hundred megabytes more. The
    /// decoders of Apple's systems have their own.
    public var maximumWorkingBytes: Int = 256 << 20

    /// The most scans of a progressive JPEG. Each takes as long as the whole picture; cameras and encoders write 10 or so. Default: 64.
    public var maximumScanCount: Int = 64

    /// The most frames of an animation. Default: 2,000.
    public var maximumFrameCount: Int = 2_000

    /// The most bytes of decoded frames that an ``AnimatedImage`` keeps. A longer animation is decoded again each time it is shown, frame by
    /// frame. Default: 32 MiB.
    public var maximumAnimationBytes: Int = 32 << 20

    /// Creates limits with the defaults; change the properties afterwards.
    public init() {}
}
