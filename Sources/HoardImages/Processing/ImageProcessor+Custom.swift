// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// A step of the program's own. The closure takes no part in comparisons.
struct CustomStep: Hashable, Sendable {
    let name: ExactText
    let version: Int
    let change: @Sendable (Bitmap) throws -> Bitmap

    static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.version == right.version
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(version)
    }
}

extension CustomStep {
    /// Runs the closure. Only the size and the pixels of its result count, not the original that this may have.
    func applied(to bitmap: Bitmap) throws(ImageError) -> Bitmap {
        let changed: Bitmap
        do {
            changed = try change(bitmap)
        } catch is CancellationError {
            throw ImageError.cancelled
        } catch let error as ImageError where error.code == .cancelled {
            throw error
        } catch {
            throw ImageError(.failed, "The image processor \"\(name.text)\" failed; the underlying error says why.", underlyingError: error)
        }
        if changed.size == bitmap.size, changed.pixels == bitmap.pixels { return bitmap }
        return Bitmap(DecodedPixels(width: changed.width, height: changed.height, bytes: changed.pixels), original: nil)
    }
}

extension ImageProcessor {
    /// A step of the program's own.
    ///
    /// ```swift
    /// let grey = ImageProcessor.custom(name: "grey", version: 1) { bitmap in
    ///     var pixels = bitmap.pixels
    ///     for index in stride(from: 0, to: pixels.count, by: 4) {
    ///         let sum = Int(pixels[index]) + Int(pixels[index + 1]) + Int(pixels[index + 2])
    ///         for channel in 0..<3 { pixels[index + channel] = UInt8(sum / 3) }
    ///     }
    ///     return Bitmap(width: bitmap.width, height: bitmap.height, pixels: pixels) ?? bitmap
    /// }
    /// ```
    ///
    /// Two custom processors are equal if they have the same name and version, whatever their closures do. A cache then returns the bitmap that one of
    /// them made for the other. So give each closure a name of its own, put every value that it captures into the name, and raise `version` when the
    /// closure changes.
    ///
    /// - Parameters:
    ///   - name: Names the change and its parameters, such as `"blurred 4"`. Names are equal if their bytes are.
    ///   - version: The version of the closure.
    ///   - change: Returns the changed picture. It runs where the picture is decoded, on several threads at once, and keeps one of them busy; it has to be a
    ///     function of the picture alone. Its error becomes the ``ImageError/underlyingError`` of an ``ImageError`` with the code `failed`; a `CancellationError`
    ///     becomes one with the code `cancelled`.
    public static func custom(name: String, version: Int, _ change: @escaping @Sendable (Bitmap) throws -> Bitmap) -> ImageProcessor {
        ImageProcessor(.custom(CustomStep(name: ExactText(name), version: version, change: change)))
    }
}
