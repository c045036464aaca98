// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// What an image may cost before it is refused.
///
/// An image is a small program that somebody else wrote: a few hundred bytes can announce a picture of many gigabytes. The header is judged before
/// anything is decoded, and what the header does not tell is limited while decoding. Negative limits count as 0.
public struct ImageLimits: Hashable, Sendable {
    /// The most bytes of an original. Default: 64 MiB.
    public var maximumEncodedBytes: Int = 64 << 20

    /// The most pixels of an original, whatever the size it is shown in: each of them has to be looked at. No side may be
    /// longer than a million pixels in any case. Default: 100 million.
    public var maximumPixelCount: Int = 100_000_000

    /// The most bytes of memory that decoding one image may take, the pixels it returns included. Default: 256 MiB, which is a picture of 64 million
    /// pixels in full, or a larger one scaled down.
    ///
    /// A progressive JPEG has to be held whole, in coefficients of 2 bytes: about 3 to 6 bytes for each pixel of the original, whatever the size it is
    /// shown in. Only libjpeg and libpng keep this limit for what they take themselves; the decoders of Apple's systems have their own.
    public var maximumWorkingBytes: Int = 256 << 20

    /// The most scans of a progressive JPEG. Each takes as long as the whole picture; cameras and encoders write 10 or so. Default: 64.
    public var maximumScanCount: Int = 64

    public init() {}
}
