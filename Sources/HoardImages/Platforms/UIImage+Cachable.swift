// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(UIKit)
    public import Foundation
    public import Hoard
    public import UIKit

    /// An image that came from a cache keeps the bytes it was made from, and is stored as these. One that a program has made any other way is stored as PNG,
    /// which keeps every pixel.
    extension UIImage: Cachable {
        public func encode() throws -> Data {
            if let original = OriginalData.of(self) { return original }
            guard let data = pngData() else { throw ImageError(.failed, "The image could not be written as PNG.") }
            return data
        }

        public static func decode(_ data: Data) throws -> Self {
            try OriginalData.image(UIImage(data: data), from: data, as: self)
        }
    }
#endif
