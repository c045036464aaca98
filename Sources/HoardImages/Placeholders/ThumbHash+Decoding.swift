// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ThumbHash {
    /// The blurred picture, with about the aspect ratio of the original.
    ///
    /// It has no more detail in a greater size: let the view scale it up.
    ///
    /// Never suspends. O(*n*) in the pixels of the result.
    ///
    /// - Parameter maximumPixelSize: The length of the longer side in pixels, from 1 to 256. Values outside count as the nearest of these.
    public func bitmap(maximumPixelSize: Int = 32) -> Bitmap {
        let longer = min(max(maximumPixelSize, 1), 256)
        let ratio = approximateAspectRatio
        let width = ratio > 1 ? longer : max(1, Int((Double(longer) * ratio).rounded()))
        let height = ratio > 1 ? max(1, Int((Double(longer) / ratio).rounded())) : longer
        let transform = CosineTransform(width: width, height: height, count: 7)
        let (averages, coefficients) = (averages, coefficients)
        let luminanceFrequencies = layout.luminanceFrequencies

        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 4)
        for y in 0..<height {
            func row(_ average: Double, _ coefficients: [Double], _ frequencies: [CosineTransform.Frequency]) -> [Double] {
                transform.row(y, average: average, coefficients: coefficients, frequencies: frequencies)
            }
            let luminance = row(averages.luminance, coefficients.luminance, luminanceFrequencies)
            let yellowBlue = row(averages.yellowBlue, coefficients.yellowBlue, ThumbHashLayout.colorFrequencies)
            let redGreen = row(averages.redGreen, coefficients.redGreen, ThumbHashLayout.colorFrequencies)
            let alpha = row(averages.alpha, coefficients.alpha, ThumbHashLayout.alphaFrequencies)
            for x in 0..<width {
                let pixel = Self.pixel(luminance[x], yellowBlue[x], redGreen[x], alpha[x])
                bytes += [pixel.red, pixel.green, pixel.blue, pixel.alpha]
            }
        }
        return Bitmap(DecodedPixels(width: width, height: height, bytes: bytes), original: nil)
    }
}

extension ThumbHash {
    /// The averages of the channels.
    var averages: (luminance: Double, yellowBlue: Double, redGreen: Double, alpha: Double) {
        (
            Double(field(0, 6)) / 63, Double(field(6, 6)) / 31.5 - 1, Double(field(12, 6)) / 31.5 - 1,
            hasAlpha ? Double(field(40, 4)) / 15 : 1
        )
    }

    /// The coefficients of the channels. There are none of an alpha that the hash does not have.
    private var coefficients: (luminance: [Double], yellowBlue: [Double], redGreen: [Double], alpha: [Double]) {
        // Rounding the coefficients makes the colours paler, which the format makes up for.
        let saturation = 1.25
        var position = layout.coefficientsStart * 8
        func next(_ count: Int, scale: Double) -> [Double] {
            defer { position += 4 * count }
            return (0..<count).map { (Double(field(position + 4 * $0, 4)) / 7.5 - 1) * scale }
        }
        return (
            next(layout.luminanceFrequencies.count, scale: Double(field(18, 5)) / 31),
            next(ThumbHashLayout.colorFrequencies.count, scale: Double(field(27, 6)) / 63 * saturation),
            next(ThumbHashLayout.colorFrequencies.count, scale: Double(field(33, 6)) / 63 * saturation),
            hasAlpha ? next(ThumbHashLayout.alphaFrequencies.count, scale: Double(field(44, 4)) / 15) : []
        )
    }

    /// `count` bits, from the lowest bit of the first byte on; 8 at most.
    private func field(_ start: Int, _ count: Int) -> Int {
        let (index, shift) = (start / 8, start % 8)
        let next = index + 1 < bytes.count ? Int(bytes[index + 1]) : 0
        return (Int(bytes[index]) | next << 8) >> shift & (1 << count - 1)
    }

    /// The colour of a pixel's channels. Values out of range, which come about by rounding, count as the nearest that is not.
    static func pixel(_ luminance: Double, _ yellowBlue: Double, _ redGreen: Double, _ alpha: Double) -> Bitmap.Pixel {
        func byte(_ value: Double) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
        let blue = luminance - 2 / 3 * yellowBlue
        let red = (3 * luminance - blue + redGreen) / 2
        return Bitmap.Pixel(red: byte(red), green: byte(red - redGreen), blue: byte(blue), alpha: byte(alpha))
    }
}
