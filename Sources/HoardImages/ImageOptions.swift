// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import HoardHTTP

/// How an image is wanted. See ``ImageCache/image(for:options:)-(String,_)``.
public struct ImageOptions: Hashable, Sendable {
    /// The length of the longer side, in pixels, that is enough. Images that are larger are scaled down while they are
    /// decoded, and no bitmap larger than the shown one is ever held; images that are smaller stay as they are. Less
    /// than 1 counts as 1. `nil`: the full size. Default: `nil`.
    public var maximumPixelSize: Int?

    /// The changes to make to the image after it was decoded, in this order. An image with other processors is another bitmap in memory; the original is kept once,
    /// as it came. If the first is ``ImageProcessor/fitted(width:height:)`` or ``ImageProcessor/filled(width:height:)`` and there is no
    /// ``maximumPixelSize``, the image is decoded in the size that this one needs. Default: none.
    ///
    /// ```swift
    /// let avatar = ImageOptions(processors: [.filled(width: 96, height: 96), .circle])
    /// ```
    public var processors: [ImageProcessor] = []

    /// Whose image it is, such as a user's name: images of a partition leave together (``ImageCache/removePartition(_:)``). An empty
    /// name stands for none. `nil`: the configuration's. Default: `nil`.
    public var partition: String?

    /// Whether the original is kept in memory only and never reaches a store. When an image is fetched from a URL in this way, its thumbnails and
    /// its placeholder leave the stores. Default: `false`.
    public var keepsInMemoryOnly = false

    /// Whether the decoded bitmap is kept in the cache's stores too, so that a later process, or this one after the bitmap was evicted from memory, reads
    /// it instead of decoding the original again. Default: `false`.
    ///
    /// For small images that are shown often, such as those of a list: a bitmap takes 4 bytes for each pixel. One with more than
    /// ``ImageCache/Configuration/maximumThumbnailBytes`` is not kept, nor is one whose original must not be stored or is kept in memory only.
    ///
    /// The original decides as ever whether the image may be shown; the thumbnail is used if it was made of that. If the original's strong entity tag
    /// tells so, no more is read of a long original than the HTTP cache needs to know that it is there. Each size has a thumbnail of its own, and so has
    /// each set of ``fields``. A thumbnail leaves with its image or partition, with an original by key that expires, and 30 days after it was written at
    /// most; reading it does not make that longer. Requests that differ in this option alone do not wait for each other.
    public var keepsThumbnail = false

    /// How the request for the original uses the HTTP cache. Default: `.default`.
    public var cacheMode: RequestCacheMode = .default

    /// The longest the transfer of the original may take. Default: `nil`, no limit.
    public var timeout: Duration?

    /// Request fields to send with the request for the original, such as `Authorization`.
    public var fields: HTTPFields = [:]

    /// Creates options; change the other properties afterwards.
    public init(
        maximumPixelSize: Int? = nil,
        partition: String? = nil,
        keepsInMemoryOnly: Bool = false,
        processors: [ImageProcessor] = []
    ) {
        self.maximumPixelSize = maximumPixelSize
        self.partition = partition
        self.keepsInMemoryOnly = keepsInMemoryOnly
        self.processors = processors
    }
}

extension ImageOptions {
    /// The size in which the image is decoded.
    var target: DecodeTarget { DecodeTarget(maximumPixelSize: maximumPixelSize, processors: processors) }
}
