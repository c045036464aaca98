// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(UIKit)
    internal import Foundation

    /// The bytes that an image object of the system was made from, tied to that object.
    enum OriginalData {
        private static let association = Association<Data>()

        static func of(_ image: AnyObject) -> Data? { association.value(of: image) }

        static func set(_ data: Data, of image: AnyObject) { association.set(data, of: image) }

        /// `image`, which was just made, as the type that `decode` returns: classes that are not final cannot create `Self` by an initializer of theirs.
        static func image<Image: AnyObject>(_ image: AnyObject?, from data: Data, as type: Image.Type) throws(ImageError) -> Image {
            guard let image = image as? Image else { throw ImageError.notAnImage }
            set(data, of: image)
            return image
        }
    }
#endif
