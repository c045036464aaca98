// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation

func refused(_ space: CGColorSpace, _ context: CGContext, _ image: CGImage) {
    let named: CGColorSpace = CGColorSpace(name: CGColorSpace.sRGB)  // refused: must be unwrapped
    let last = CGImageAlphaInfo.last
    _ = CGContext(data: nil, width: 1, height: 1, bitsPerComponent: 8, bytesPerRow: 4, space: space, bitmapInfo: last)  // refused: cannot convert
    let width: UInt = image.width  // refused: cannot convert value of type 'Int'
    context.draw(in: CGRect.zero, image)  // refused: unnamed argument #2 must precede
}
