// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardImages

/// In which size an image is decoded to be shown.
///
/// A bitmap takes 4 bytes for each pixel: a photograph of 12 million pixels takes 48 MB in its own size, and 160 kB in that of a thumbnail of 200 points.
public struct ImageSizing: Hashable, Sendable, CustomStringConvertible {
    private enum Base: Hashable, Sendable {
        case options
        case layout(factor: Int)
    }

    private let base: Base
    public let description: String

    private init(_ base: Base, _ description: String) { (self.base, self.description) = (base, description) }

    /// The size of ``ImageOptions/maximumPixelSize``; without it, the image's own.
    public static var options: Self { Self(.options, #function) }

    /// That of the place where the image is shown whole. Nothing is loaded before the place is known.
    public static var fit: Self { Self(.layout(factor: 1), #function) }

    /// That of a place that the image fills, cut on two sides: twice as large as ``fit``, so that images up to 2:1 stay sharp.
    public static var fill: Self { Self(.layout(factor: 2), #function) }

    /// The options with which a view of this size loads its image. With the same ones an ``ImagePrefetcher`` makes the bitmap that the view will look for.
    ///
    /// ```swift
    /// // For image views of 80 by 80 points that fill them.
    /// let options = ImageSizing.fill.options(width: 80, height: 80, scale: traitCollection.displayScale)
    /// prefetcher.start(urls, options: options)
    /// ```
    ///
    /// - Parameters:
    ///   - options: The rest of them. The smaller of its maximum size and the view's counts.
    ///   - width: In points. A view without a size loads the image in the size of `options`.
    ///   - scale: How many pixels a point has on each side; at least 1.
    public func options(_ options: ImageOptions = ImageOptions(), width: Double, height: Double, scale: Double) -> ImageOptions {
        self.options(options, longerSide: ImagePlace(width: width, height: height, scale: scale).longerSide) ?? options
    }

    /// Whether the size depends on the place.
    var isOfPlace: Bool { base != .options }

    /// The options for a place whose longer side is this long.
    ///
    /// The size is rounded up by a quarter at most, so that places of nearly the same size share a bitmap.
    ///
    /// - Parameter pixels: `nil`: it is not known yet.
    /// - Returns: `nil` if the size depends on the place.
    func options(_ options: ImageOptions, longerSide pixels: Int?) -> ImageOptions? {
        guard case .layout(let factor) = base else { return options }
        guard let pixels, pixels > 0 else { return nil }
        var options = options
        let size = Self.roundedUp(min(pixels, 1 << 20) * factor)
        options.maximumPixelSize = min(options.maximumPixelSize ?? size, size)
        return options
    }

    /// The next number of which all binary digits but the first three are 0.
    private static func roundedUp(_ number: Int) -> Int {
        let step = max(1, 1 << (Int.bitWidth - number.leadingZeroBitCount - 3))
        return (number + step - 1) / step * step
    }
}
