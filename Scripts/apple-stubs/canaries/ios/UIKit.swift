// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import UIKit

#if !os(iOS) || !canImport(UIKit) || canImport(AppKit)
    #error("The branches of iOS are not taken.")
#endif

func refused(_ data: Data) {
    let image: UIImage = UIImage(data: data)  // refused: must be unwrapped
    let png: Data = image.pngData()  // refused: must be unwrapped
    _ = image.tiffRepresentation  // refused: has no member 'tiffRepresentation'
    UIImageView().image = image  // refused: call to main actor-isolated initializer
    _ = Process()  // refused: cannot find 'Process'
}
