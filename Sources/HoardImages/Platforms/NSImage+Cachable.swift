// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit
    public import Foundation
    public import Hoard

    /// An image that came from a cache keeps the bytes it was made from, and is stored as these. One that a program has made any other way is stored as PNG,
    /// which keeps every pixel.
    extension NSImage: Cachable {
        public func encode() throws -> Data {
            if let original = OriginalData.of(self) { return original }
            guard let tiff = tiffRepresentation, let data = NSBitmapImageRep(data: tiff)?.representation(using: .png, properties: [:]) else {
                throw ImageError(.failed, "The image could not be written as PNG.")
            }
            return data
        }

        public static func decode(_ data: Data) throws -> Self {
            try OriginalData.image(NSImage(data: data), from: data, as: self)
        }
    }
#endif
