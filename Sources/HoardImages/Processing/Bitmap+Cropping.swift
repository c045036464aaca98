// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Bitmap {
    /// The part of the bitmap that lies in the rectangle.
    ///
    /// - Throws: An error with the code `failed` if there is none.
    func cropped(to rectangle: CropRectangle) throws(ImageError) -> Bitmap {
        let columns = Self.overlap(start: rectangle.x, length: rectangle.width, with: width)
        let rows = Self.overlap(start: rectangle.y, length: rectangle.height, with: height)
        guard !columns.isEmpty, !rows.isEmpty else {
            throw ImageError(
                .failed,
                """
                The rectangle to crop, \(rectangle.width) × \(rectangle.height) pixels at (\(rectangle.x), \(rectangle.y)), has no pixel of the picture; \
                choose one that overlaps it.
                """
            )
        }
        return part(columns: columns, rows: rows)
    }

    /// The largest part around the centre that has the proportions of `box`, to the nearest pixel.
    func croppedAroundCentre(toShapeOf box: TargetSize) -> Bitmap {
        let size = size.cropped(toShapeOf: box)
        let (left, top) = ((width - size.width) / 2, (height - size.height) / 2)
        return part(columns: left..<left + size.width, rows: top..<top + size.height)
    }

    /// - Precondition: The ranges are not empty, and lie in the bitmap.
    private func part(columns: Range<Int>, rows: Range<Int>) -> Bitmap {
        guard columns.count < width || rows.count < height else { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(columns.count * rows.count * 4)
        for row in rows {
            let start = row * bytesPerRow
            bytes.append(contentsOf: pixels[start + columns.lowerBound * 4..<start + columns.upperBound * 4])
        }
        return Bitmap(DecodedPixels(width: columns.count, height: rows.count, bytes: bytes), original: nil)
    }

    /// The part of a side that lies between two edges. The edges may be any numbers.
    private static func overlap(start: Int, length: Int, with side: Int) -> Range<Int> {
        let (sum, overflows) = start.addingReportingOverflow(length)
        // Only a length of the same sign as the start can make the sum overflow.
        let end = overflows ? (length > 0 ? Int.max : Int.min) : sum
        let lower = min(max(start, 0), side)
        return lower..<max(lower, min(end, side))
    }
}
