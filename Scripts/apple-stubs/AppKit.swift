// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: the part of the module AppKit that Hoard uses. iOS does not have this module.

@_exported public import AppleFoundation
@_exported public import CoreGraphics

// https://developer.apple.com/documentation/appkit/nsimage/init(cgimage:size:)
open class NSImage: NSObject, @unchecked Sendable {
    public init(cgImage: CGImage, size: CGSize) { fatalError() }
}

// https://developer.apple.com/documentation/appkit/nswindow/backingscalefactor
@MainActor open class NSWindow: NSObject {
    open var backingScaleFactor: CGFloat { fatalError() }
}

// https://developer.apple.com/documentation/appkit/nsview
@MainActor open class NSView: NSObject {
    open var bounds: CGRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var window: NSWindow? { fatalError() }
}

// https://developer.apple.com/documentation/appkit/nsimageview
@MainActor open class NSImageView: NSView {
    open var image: NSImage? {
        get { fatalError() }
        set { fatalError() }
    }
}
