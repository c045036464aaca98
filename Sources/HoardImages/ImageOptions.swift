// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import HoardHTTP

/// How an image is wanted. See ``ImageCache/image(for:options:)-(String,_)``.
public struct ImageOptions: Hashable, Sendable {
    /// The length of the longer side, in pixels, that is enough. Images that are larger are scaled down while they are decoded, and nothing larger than
    /// what is shown is ever held; images that are smaller stay as they are. Less than 1 counts as 1. `nil`: the full size. Default: `nil`.
    public var maximumPixelSize: Int?

    /// Whose image it is, such as a user's name: images of a partition leave together (``ImageCache/removePartition(_:)``). An empty
    /// name stands for none. `nil`: the configuration's. Default: `nil`.
    public var partition: String?

    /// Whether the original is kept in memory only and never reaches a store. Default: `false`.
    public var keepsInMemoryOnly = false

    /// How the request for the original uses the HTTP cache. Default: `.default`.
    public var cacheMode: RequestCacheMode = .default

    /// The longest the transfer of the original may take. Default: `nil`, no limit.
    public var timeout: Duration?

    /// Request fields to send with the request for the original, such as `Authorization`.
    public var fields: HTTPFields = [:]

    public init(maximumPixelSize: Int? = nil, partition: String? = nil, keepsInMemoryOnly: Bool = false) {
        self.maximumPixelSize = maximumPixelSize
        self.partition = partition
        self.keepsInMemoryOnly = keepsInMemoryOnly
    }
}
