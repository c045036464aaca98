// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageIO

func refused(_ source: CGImageSource, _ data: Data) {
    let image: CGImage = CGImageSourceCreateThumbnailAtIndex(source, 0, nil)  // refused: must be unwrapped
    _ = CGImageSourceCreateWithData(data, nil)  // refused: cannot convert value of type 'Data'
    if CGImageSourceGetStatus(source) == .complete {}  // refused: has no member 'complete'
    CGImageDestinationAddImage(source, image, nil)  // refused: cannot convert value of type 'CGImageSource'
}
