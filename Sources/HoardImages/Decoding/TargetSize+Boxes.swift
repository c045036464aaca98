// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Products of two sides are taken in twice the width of `Int`, so that no sides overflow: those of a box may be any numbers.
extension TargetSize {
    /// The size with its sides exchanged.
    var exchanged: TargetSize { TargetSize(width: height, height: width) }

    /// The size scaled down in proportion so that it lies within the box. Never enlarged.
    func fitted(into box: TargetSize) -> TargetSize {
        guard width > box.width || height > box.height else { return self }
        return isFlatter(than: box) ? scaled(toWidth: box.width) : scaled(toHeight: box.height)
    }

    /// The size scaled down in proportion so that it just covers the box. Never enlarged, so that it may cover less.
    func covering(_ box: TargetSize) -> TargetSize {
        guard width > box.width, height > box.height else { return self }
        return isFlatter(than: box) ? scaled(toHeight: box.height) : scaled(toWidth: box.width)
    }

    /// The size of the largest part that has the proportions of the box, to the nearest pixel.
    func cropped(toShapeOf box: TargetSize) -> TargetSize {
        isFlatter(than: box)
            ? TargetSize(width: Self.scaled(height, by: box.width, over: box.height), height: height)
            : TargetSize(width: width, height: Self.scaled(width, by: box.height, over: box.width))
    }

    /// Whether it is wider than the box for its height.
    private func isFlatter(than box: TargetSize) -> Bool {
        UInt(width).multipliedFullWidth(by: UInt(box.height)) > UInt(height).multipliedFullWidth(by: UInt(box.width))
    }

    private func scaled(toWidth newWidth: Int) -> TargetSize {
        TargetSize(width: newWidth, height: Self.scaled(height, by: newWidth, over: width))
    }

    private func scaled(toHeight newHeight: Int) -> TargetSize {
        TargetSize(width: Self.scaled(width, by: newHeight, over: height), height: newHeight)
    }

    /// `side * numerator / denominator`, rounded to the nearest number, and up in the middle.
    ///
    /// - Precondition: The result fits into `Int`.
    private static func scaled(_ side: Int, by numerator: Int, over denominator: Int) -> Int {
        let product = UInt(side).multipliedFullWidth(by: UInt(numerator))
        let (low, carries) = product.low.addingReportingOverflow(UInt(denominator) / 2)
        return Int(UInt(denominator).dividingFullWidth((product.high + (carries ? 1 : 0), low)).quotient)
    }
}
