// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A part of a picture, in pixels from the top left. It may reach beyond the picture.
struct CropRectangle: Hashable, Sendable {
    let x: Int
    let y: Int
    let width: Int
    let height: Int
}

extension ImageProcessor {
    /// Scales a picture down in proportion so that it lies within a box. A picture that does so already stays as it is.
    ///
    /// As the first of a cache's processors, without a ``ImageOptions/maximumPixelSize``, it makes the decoder return this size at once.
    ///
    /// ```swift
    /// let preview = try bitmap.applying([.fitted(width: 400, height: 300)])
    /// ```
    ///
    /// Every pixel becomes the exact average of the area that it covers, in which transparent pixels do not count. The shorter side keeps at least one pixel.
    /// O(*n*) in the pixels of the picture.
    ///
    /// - Parameters:
    ///   - width: The box's width in pixels. Less than 1 counts as 1.
    ///   - height: The box's height in pixels. Less than 1 counts as 1.
    public static func fitted(width: Int, height: Int) -> ImageProcessor {
        ImageProcessor(.fitted(TargetSize(width: width, height: height)))
    }

    /// Scales a picture down in proportion so that it just covers a box, and cuts off the parts outside the box, as much on either side.
    ///
    /// A picture with a side shorter than the box's is not enlarged: it is cut to the box's proportions. As the first of a cache's processors, without a
    /// ``ImageOptions/maximumPixelSize``, it makes the decoder return no more than covers the box.
    ///
    /// ```swift
    /// let tile = try bitmap.applying([.filled(width: 120, height: 120)])
    /// ```
    ///
    /// Every pixel becomes the exact average of the area that it covers, in which transparent pixels do not count. Each side keeps at least one pixel.
    /// O(*n*) in the pixels of the picture.
    ///
    /// - Parameters:
    ///   - width: The box's width in pixels. Less than 1 counts as 1.
    ///   - height: The box's height in pixels. Less than 1 counts as 1.
    public static func filled(width: Int, height: Int) -> ImageProcessor {
        ImageProcessor(.filled(TargetSize(width: width, height: height)))
    }

    /// Keeps a rectangle of a picture. Parts of the rectangle that lie outside the picture are left out.
    ///
    /// ```swift
    /// let banner = try bitmap.applying([.cropped(x: 0, y: 40, width: 640, height: 120)])
    /// ```
    ///
    /// A rectangle without a pixel of the picture is an error: ``Bitmap/applying(_:)`` throws an ``ImageError`` with the code `failed`. O(*n*) in the
    /// pixels that are kept.
    ///
    /// - Parameters:
    ///   - x: The left edge, in pixels from the picture's left edge. May be negative.
    ///   - y: The upper edge, in pixels from the picture's upper edge. May be negative.
    ///   - width: The width in pixels. Less than 1 is empty.
    ///   - height: The height in pixels. Less than 1 is empty.
    public static func cropped(x: Int, y: Int, width: Int, height: Int) -> ImageProcessor {
        ImageProcessor(.cropped(CropRectangle(x: x, y: y, width: width, height: height)))
    }
}
