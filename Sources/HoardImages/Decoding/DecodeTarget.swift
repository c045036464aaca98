// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How much of a picture its decoder has to return.
///
/// Processors that begin with a smaller size need no more than that: the decoder scales while it reads, and the full picture is never held. The processors
/// come to the same size from there.
enum DecodeTarget: Hashable, Sendable {
    case full
    /// Neither side longer than this.
    case longerSide(Int)
    /// As large as fits into the box.
    case fitting(width: Int, height: Int)
    /// As small as covers the box.
    case covering(width: Int, height: Int)

    /// The target for these options. A maximum counts alone: the processors get a picture of that size.
    init(maximumPixelSize: Int?, processors: [ImageProcessor]) {
        if let maximumPixelSize {
            self = .longerSide(max(1, maximumPixelSize))
            return
        }
        switch processors.first?.step {
        case .fitted(let box): self = .fitting(width: box.width, height: box.height)
        case .filled(let box): self = .covering(width: box.width, height: box.height)
        default: self = .full
        }
    }

    /// The size in which a picture of `width` times `height` pixels is decoded. Never larger; each side keeps a pixel at least.
    func size(of width: Int, _ height: Int) -> TargetSize {
        let size = TargetSize(width: width, height: height)
        return switch self {
        case .full: size
        case .longerSide(let maximum): size.fitted(into: TargetSize(width: maximum, height: maximum))
        case .fitting(let width, let height): size.fitted(into: TargetSize(width: width, height: height))
        case .covering(let width, let height): size.covering(TargetSize(width: width, height: height))
        }
    }

    /// The size in which a picture is decoded, as it is stored. The target is for the picture as it is seen.
    ///
    /// - Parameter exchangesSides: Whether its orientation exchanges width and height (``Orientation/exchangesSides``).
    func size(of width: Int, _ height: Int, exchangesSides: Bool) -> TargetSize {
        exchangesSides ? size(of: height, width).exchanged : size(of: width, height)
    }
}
