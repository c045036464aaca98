// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: what Hoard uses of the module UIKit, which macOS has not.

@_exported public import AppleFoundation
@_exported public import CoreGraphics

// https://developer.apple.com/documentation/uikit/uiimage
open class UIImage: NSObject, @unchecked Sendable {
    public enum Orientation: Int, Sendable { case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored }
    public init?(data: Data) { fatalError() }
    // https://developer.apple.com/documentation/uikit/uiimage/init(cgimage:scale:orientation:)
    public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) { fatalError() }
    // https://developer.apple.com/documentation/uikit/uiimage/pngdata()
    open func pngData() -> Data? { fatalError() }
}

// https://developer.apple.com/documentation/uikit/uitraitcollection/displayscale
open class UITraitCollection: NSObject, @unchecked Sendable {
    open var displayScale: CGFloat { fatalError() }
}

// https://developer.apple.com/documentation/uikit/uiview
@MainActor open class UIView: NSObject {
    public enum ContentMode: Int, Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right, topLeft, topRight, bottomLeft, bottomRight
    }
    open var contentMode: ContentMode {
        get { fatalError() }
        set { fatalError() }
    }
    open var bounds: CGRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var traitCollection: UITraitCollection { fatalError() }
}

// https://developer.apple.com/documentation/uikit/uiimageview
@MainActor open class UIImageView: UIView {
    open var image: UIImage? {
        get { fatalError() }
        set { fatalError() }
    }
}
