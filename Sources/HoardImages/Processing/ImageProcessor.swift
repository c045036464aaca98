// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// A step that changes a picture after it was decoded, such as a crop to a circle.
///
/// Processors are part of the key under which a bitmap is held in memory: the same original with other processors, or with the same ones in another order,
/// is another bitmap. Originals are kept as they came.
///
/// ```swift
/// let avatar = try Bitmap(decoding: data).applying([.filled(width: 96, height: 96), .circle])
/// ```
///
/// Sizes are in pixels. No processor of Hoard enlarges a picture. ``Bitmap/applying(_:)`` runs processors, and ``ImageOptions/processors`` has a cache run them.
public struct ImageProcessor: Hashable, Sendable, CustomStringConvertible {
    enum Step: Hashable, Sendable {
        case fitted(TargetSize)
        case filled(TargetSize)
        case cropped(CropRectangle)
        case rounded(radius: Int)
        case circle
        case tinted(Bitmap.Pixel)
        case custom(CustomStep)
    }

    let step: Step

    init(_ step: Step) {
        self.step = step
    }

    /// The processor's name and parameters, such as `fitted(width: 200, height: 100)`.
    public var description: String {
        switch step {
        case .fitted(let box): "fitted(width: \(box.width), height: \(box.height))"
        case .filled(let box): "filled(width: \(box.width), height: \(box.height))"
        case .cropped(let part): "cropped(x: \(part.x), y: \(part.y), width: \(part.width), height: \(part.height))"
        case .rounded(let radius): "rounded(radius: \(radius))"
        case .circle: "circle"
        case .tinted(let colour): "tinted(red: \(colour.red), green: \(colour.green), blue: \(colour.blue), alpha: \(colour.alpha))"
        case .custom(let custom): "custom(name: \"\(custom.name.text)\", version: \(custom.version))"
        }
    }

    /// Whether the processor is a closure of the program's own.
    var isCustom: Bool {
        if case .custom = step { true } else { false }
    }

    /// The number of bytes that the processor takes up as a part of a key.
    var byteCount: Int {
        guard case .custom(let custom) = step else { return MemoryLayout<Self>.stride }
        return MemoryLayout<Self>.stride + custom.name.byteCount
    }
}
