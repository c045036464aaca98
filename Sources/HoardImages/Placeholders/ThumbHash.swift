// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A blurred picture in about 25 bytes, to show while the real one loads.
///
/// A server computes it once and sends it along with the picture's address. It holds the rough shape of the colours, the aspect ratio, and the alpha.
///
/// ```swift
/// let text = ThumbHash(try Bitmap(decoding: data, maximumPixelSize: 100)).base64EncodedString
/// let placeholder = ThumbHash(base64Encoded: text)?.bitmap(maximumPixelSize: 32)
/// ```
///
/// The format is [ThumbHash](https://evanw.github.io/thumbhash/) by Evan Wallace. Programs in many languages read and write it. Pictures that look alike can have
/// different hashes: it is no fingerprint.
///
/// No member suspends.
public struct ThumbHash: Hashable, Sendable {
    /// The hash itself: 17 to 25 bytes if it was made from a picture. O(1).
    public let bytes: [UInt8]

    let layout: ThumbHashLayout

    /// A hash that was stored or received.
    ///
    /// Any bytes are safe. O(1).
    ///
    /// - Returns: `nil` if there are more or fewer bytes than the first five announce, or these name a shape that no picture has.
    public init?(bytes: [UInt8]) {
        guard let layout = ThumbHashLayout(header: bytes), bytes.count == layout.byteCount else { return nil }
        self.init(bytes: bytes, layout: layout)
    }

    init(bytes: [UInt8], layout: ThumbHashLayout) {
        self.bytes = bytes
        self.layout = layout
    }
}

extension ThumbHash {
    /// Whether a part of the picture was not opaque. O(1).
    public var hasAlpha: Bool { layout.hasAlpha }

    /// The width divided by the height, from 1/7 to 7, in steps: the longer side to the shorter is 7 to a whole number, with alpha 5 to a whole number. O(1).
    ///
    /// Lay out with the picture's own size where it is known.
    public var approximateAspectRatio: Double { Double(layout.columns) / Double(layout.rows) }

    /// The colour of the whole picture in one. Its parts count by their alpha. O(1).
    public var averageColor: Bitmap.Pixel {
        let averages = averages
        return Self.pixel(averages.luminance, averages.yellowBlue, averages.redGreen, averages.alpha)
    }
}

extension ThumbHash: LosslessStringConvertible {
    /// Reads base64 with the usual alphabet, with or without the padding at its end.
    ///
    /// O(*n*) in the characters.
    ///
    /// - Returns: `nil` if it is no base64, or its bytes are no hash (``init(bytes:)``).
    public init?(base64Encoded text: String) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding) else { return nil }
        self.init(bytes: Array(data))
    }

    /// Same as ``init(base64Encoded:)``.
    public init?(_ description: String) {
        self.init(base64Encoded: description)
    }

    /// The bytes as base64 with the usual alphabet and padding: 24 to 36 characters for a picture's hash. O(1).
    public var base64EncodedString: String { Data(bytes).base64EncodedString() }

    /// Same as ``base64EncodedString``.
    public var description: String { base64EncodedString }
}
