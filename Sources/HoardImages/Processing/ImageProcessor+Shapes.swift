// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ImageProcessor {
    /// Rounds the four corners of a picture: they become transparent outside a quarter of a circle, with a smooth edge.
    ///
    /// ```swift
    /// let card = try bitmap.applying([.filled(width: 300, height: 200), .rounded(radius: 24)])
    /// ```
    ///
    /// A pixel on the edge keeps as much of its alpha as lies inside the circle, to 1/256. Pixels that become transparent lose their colour.
    /// O(*n*) in the pixels of the picture.
    ///
    /// - Parameter radius: In pixels; at most half of the shorter side counts. Less than 1 leaves the corners as they are.
    public static func rounded(radius: Int) -> ImageProcessor {
        ImageProcessor(.rounded(radius: max(0, radius)))
    }

    /// Cuts a picture to the square around its centre, and that to the circle that fits in, with a smooth edge.
    ///
    /// ```swift
    /// let avatar = try bitmap.applying([.fitted(width: 96, height: 96), .circle])
    /// ```
    ///
    /// O(*n*) in the pixels of the picture.
    public static var circle: ImageProcessor { ImageProcessor(.circle) }

    /// Puts a colour over the colours of a picture, and keeps the picture's alpha. An icon becomes an icon of that colour.
    ///
    /// ```swift
    /// let icon = try bitmap.applying([.tinted(red: 0, green: 122, blue: 255)])
    /// ```
    ///
    /// Transparent pixels stay as they are. O(*n*) in the pixels of the picture.
    ///
    /// - Parameter alpha: How much of the colour is mixed in: 255 replaces the picture's colours, 0 leaves them.
    public static func tinted(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) -> ImageProcessor {
        tinted(Bitmap.Pixel(red: red, green: green, blue: blue, alpha: alpha))
    }

    /// Puts a colour over the colours of a picture, like ``tinted(red:green:blue:alpha:)``.
    ///
    /// ```swift
    /// let icon = try bitmap.applying([.tinted(Bitmap.Pixel(red: 0, green: 122, blue: 255))])
    /// ```
    ///
    /// O(*n*) in the pixels of the picture.
    public static func tinted(_ colour: Bitmap.Pixel) -> ImageProcessor {
        ImageProcessor(.tinted(colour))
    }
}
