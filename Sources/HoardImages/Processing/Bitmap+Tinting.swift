// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Bitmap {
    /// The bitmap with a colour mixed into its own, by the colour's alpha. Its own alpha stays. O(*n*) in the pixels.
    func tinted(_ colour: Pixel) -> Bitmap {
        guard colour.alpha > 0 else { return self }
        let red = Self.mixtures(with: colour.red, alpha: colour.alpha)
        let green = Self.mixtures(with: colour.green, alpha: colour.alpha)
        let blue = Self.mixtures(with: colour.blue, alpha: colour.alpha)
        var bytes = pixels
        for index in stride(from: 0, to: bytes.count, by: 4) where bytes[index + 3] > 0 {
            bytes[index] = red[Int(bytes[index])]
            bytes[index + 1] = green[Int(bytes[index + 1])]
            bytes[index + 2] = blue[Int(bytes[index + 2])]
        }
        return Bitmap(DecodedPixels(width: width, height: height, bytes: bytes), original: nil)
    }

    /// The mixture for each of the 256 values that a channel can have.
    private static func mixtures(with value: UInt8, alpha: UInt8) -> [UInt8] {
        let kept = 255 - Int(alpha)
        let added = Int(value) * Int(alpha)
        return (0...255).map { (own: Int) -> UInt8 in UInt8((own * kept + added + 127) / 255) }
    }
}
