// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: what Hoard uses of the module UIKit, which macOS has not.

@_exported public import AppleFoundation
@_exported public import CoreGraphics

// https://developer.apple.com/documentation/uikit/uiimage
open class UIImage: NSObject, @unchecked Sendable {
    public init?(data: Data) { fatalError() }
    // https://developer.apple.com/documentation/uikit/uiimage/pngdata()
    open func pngData() -> Data? { fatalError() }
}
