// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: the part of the module ImageIO that Hoard uses.

public import AppleFoundation
@_exported public import CoreGraphics

// https://developer.apple.com/documentation/imageio/cgimagesource
public final class CGImageSource {}

// https://developer.apple.com/documentation/imageio/cgimagesourcestatus
public enum CGImageSourceStatus: Int32, Sendable {
    case statusUnexpectedEOF = -5
    case statusInvalidData = -4
    case statusUnknownType = -3
    case statusReadingHeader = -2
    case statusIncomplete = -1
    case statusComplete = 0
}

// https://developer.apple.com/documentation/imageio/cgimagesourcecreatewithdata(_:_:) and its neighbours
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? { fatalError() }
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { fatalError() }
public func CGImageSourceGetStatus(_ source: CGImageSource) -> CGImageSourceStatus { fatalError() }
public func CGImageSourceGetStatusAtIndex(_ source: CGImageSource, _ index: Int) -> CGImageSourceStatus { fatalError() }
public func CGImageSourceCopyPropertiesAtIndex(_ source: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CFDictionary? { fatalError() }
public func CGImageSourceCreateThumbnailAtIndex(_ source: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CGImage? { fatalError() }
public var kCGImageSourceShouldCache: CFString { fatalError() }
public var kCGImageSourceShouldCacheImmediately: CFString { fatalError() }
public var kCGImageSourceCreateThumbnailFromImageAlways: CFString { fatalError() }
public var kCGImageSourceCreateThumbnailWithTransform: CFString { fatalError() }
public var kCGImageSourceThumbnailMaxPixelSize: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertypixelwidth and the next
public var kCGImagePropertyPixelWidth: CFString { fatalError() }
public var kCGImagePropertyPixelHeight: CFString { fatalError() }
public var kCGImagePropertyOrientation: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/cgimagesourcecopyproperties(_:_:)
public func CGImageSourceCopyProperties(_ source: CGImageSource, _ options: CFDictionary?) -> CFDictionary? { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertygifdictionary and its neighbours, of each kind of animation
public var kCGImagePropertyGIFDictionary: CFString { fatalError() }
public var kCGImagePropertyGIFUnclampedDelayTime: CFString { fatalError() }
public var kCGImagePropertyGIFDelayTime: CFString { fatalError() }
public var kCGImagePropertyGIFLoopCount: CFString { fatalError() }
public var kCGImagePropertyPNGDictionary: CFString { fatalError() }
public var kCGImagePropertyAPNGUnclampedDelayTime: CFString { fatalError() }
public var kCGImagePropertyAPNGDelayTime: CFString { fatalError() }
public var kCGImagePropertyAPNGLoopCount: CFString { fatalError() }
public var kCGImagePropertyWebPDictionary: CFString { fatalError() }
public var kCGImagePropertyWebPUnclampedDelayTime: CFString { fatalError() }
public var kCGImagePropertyWebPDelayTime: CFString { fatalError() }
public var kCGImagePropertyWebPLoopCount: CFString { fatalError() }
public var kCGImagePropertyAVISDictionary: CFString { fatalError() }
public var kCGImagePropertyHEICSDictionary: CFString { fatalError() }
public var kCGImagePropertyHEICSUnclampedDelayTime: CFString { fatalError() }
public var kCGImagePropertyHEICSDelayTime: CFString { fatalError() }
public var kCGImagePropertyHEICSLoopCount: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/cgimagedestinationcreatewithdata(_:_:_:_:) and its neighbours
public final class CGImageDestination {}
public func CGImageDestinationCreateWithData(
    _ data: CFMutableData,
    _ type: CFString,
    _ count: Int,
    _ options: CFDictionary?
) -> CGImageDestination? { fatalError() }
public func CGImageDestinationAddImage(_ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) { fatalError() }
@discardableResult public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool { fatalError() }
