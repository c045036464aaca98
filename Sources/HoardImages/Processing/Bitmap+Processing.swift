// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Bitmap {
    /// Returns the bitmap after these changes, one after the other.
    ///
    /// ```swift
    /// let avatar = try Bitmap(decoding: data).applying([.filled(width: 96, height: 96), .circle])
    /// ```
    ///
    /// A bitmap that was changed has no ``original``, as that is another picture; for storage it is written as PNG. If nothing changes, the bitmap is returned
    /// as it is.
    ///
    /// Never suspends. O(*n*) in the pixels for each processor; called in a task, it ends before the next processor when the task is cancelled.
    ///
    /// - Throws: ``ImageError`` with the code `failed` if a rectangle to crop lies outside the picture, or the closure of a custom processor throws an error; with
    ///   the code `cancelled` if the task is cancelled.
    public func applying(_ processors: [ImageProcessor]) throws(ImageError) -> Bitmap {
        var bitmap = self
        for processor in processors {
            if Task.isCancelled { throw ImageError.cancelled }
            bitmap = try processor.step.applied(to: bitmap)
        }
        return bitmap
    }
}

extension ImageProcessor.Step {
    fileprivate func applied(to bitmap: Bitmap) throws(ImageError) -> Bitmap {
        switch self {
        case .fitted(let box): bitmap.scaled(to: bitmap.size.fitted(into: box))
        case .filled(let box): bitmap.scaled(to: bitmap.size.covering(box)).croppedAroundCentre(toShapeOf: box)
        case .cropped(let rectangle): try bitmap.cropped(to: rectangle)
        case .rounded(let radius): bitmap.rounded(diameter: bitmap.size.diameter(ofRadius: radius))
        case .circle: bitmap.inCircle()
        case .tinted(let colour): bitmap.tinted(colour)
        case .custom(let custom): try custom.applied(to: bitmap)
        }
    }
}

extension Bitmap {
    var size: TargetSize { TargetSize(width: width, height: height) }
}
