// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Bitmap: Cachable {
    /// The bytes the bitmap came from, as they came; a bitmap that has none, because a program made it or it was scaled down for display, is
    /// written as PNG, which keeps every pixel.
    ///
    /// - Throws: ``ImageError`` with the code `failed` or `decoderNotAvailable`.
    public func encode() throws -> Data {
        if let original { return original }
        return try BitmapDecoder.encode(self)
    }

    /// Decodes in full size, within the default ``ImageLimits``, and keeps `data`.
    ///
    /// - Throws: ``ImageError``.
    public static func decode(_ data: Data) throws -> Bitmap {
        try Bitmap(decoding: data)
    }
}
