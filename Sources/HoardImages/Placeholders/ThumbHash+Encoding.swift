// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ThumbHash {
    /// The hash of a picture of any size.
    ///
    /// A picture with a side over 100 pixels is first scaled down. Colours that are not seen because they are transparent do not count. A picture with a side under
    /// seven pixels leaves stripes in its placeholder: the hash has waves too fine for it. Other encoders do the same.
    ///
    /// Never suspends. O(*n*) in the pixels.
    public init(_ bitmap: Bitmap) {
        self.init(small: bitmap.scaled(to: DecodeTarget.longerSide(100).size(of: bitmap.width, bitmap.height)))
    }

    private init(small bitmap: Bitmap) {
        let channels = Channels(bitmap)
        let layout = ThumbHashLayout(width: bitmap.width, height: bitmap.height, hasAlpha: channels.hasAlpha)
        let transform = CosineTransform(width: bitmap.width, height: bitmap.height, count: 7)
        let luminance = Spectrum(channels.luminance, layout.luminanceFrequencies, transform)
        let yellowBlue = Spectrum(channels.yellowBlue, ThumbHashLayout.colorFrequencies, transform)
        let redGreen = Spectrum(channels.redGreen, ThumbHashLayout.colorFrequencies, transform)

        var header: UInt64 = 0
        var position: UInt64 = 0
        func append(_ value: Double, bits: UInt64) {
            header |= Self.level(value, below: 1 << bits) << position
            position += bits
        }
        append(63 * luminance.average, bits: 6)
        append(31.5 + 31.5 * yellowBlue.average, bits: 6)
        append(31.5 + 31.5 * redGreen.average, bits: 6)
        append(31 * luminance.scale, bits: 5)
        append(layout.hasAlpha ? 1 : 0, bits: 1)
        append(Double(min(layout.columns, layout.rows)), bits: 3)
        append(63 * yellowBlue.scale, bits: 6)
        append(63 * redGreen.scale, bits: 6)
        append(bitmap.width > bitmap.height ? 1 : 0, bits: 1)

        var spectra = [luminance, yellowBlue, redGreen]
        if layout.hasAlpha {
            let alpha = Spectrum(channels.alpha, ThumbHashLayout.alphaFrequencies, transform)
            append(15 * alpha.average, bits: 4)
            append(15 * alpha.scale, bits: 4)
            spectra.append(alpha)
        }
        var bytes = (0..<layout.coefficientsStart).map { UInt8(truncatingIfNeeded: header >> (8 * UInt64($0))) }
        for (index, coefficient) in spectra.flatMap(\.coefficients).enumerated() {
            let level = UInt8(Self.level(15 * coefficient, below: 16))
            if index % 2 == 0 { bytes.append(level) } else { bytes[bytes.count - 1] |= level << 4 }
        }
        self.init(bytes: bytes, layout: layout)
    }

    /// The nearest whole number that is not negative and below `bound`. A half rounds up.
    private static func level(_ value: Double, below bound: UInt64) -> UInt64 {
        UInt64(min(max(value.rounded(), 0), Double(bound - 1)))
    }
}

/// The values of every pixel in the colours that a ThumbHash uses. Transparent parts have the average colour, so that they add no edges.
private struct Channels {
    var luminance: [Double] = []
    /// Red and green against blue, from -1 to 1.
    var yellowBlue: [Double] = []
    /// Red against green, from -1 to 1.
    var redGreen: [Double] = []
    var alpha: [Double] = []
    let hasAlpha: Bool

    init(_ bitmap: Bitmap) {
        let pixels = bitmap.pixels
        let starts = stride(from: 0, to: pixels.count, by: 4)
        var average = (red: 0.0, green: 0.0, blue: 0.0)
        var alphaSum = 0.0
        for start in starts {
            let alpha = Double(pixels[start + 3]) / 255
            average.red += alpha / 255 * Double(pixels[start])
            average.green += alpha / 255 * Double(pixels[start + 1])
            average.blue += alpha / 255 * Double(pixels[start + 2])
            alphaSum += alpha
        }
        if alphaSum > 0 {
            average = (average.red / alphaSum, average.green / alphaSum, average.blue / alphaSum)
        }
        hasAlpha = alphaSum < Double(pixels.count / 4)
        for start in starts {
            let alpha = Double(pixels[start + 3]) / 255
            let red = average.red * (1 - alpha) + alpha / 255 * Double(pixels[start])
            let green = average.green * (1 - alpha) + alpha / 255 * Double(pixels[start + 1])
            let blue = average.blue * (1 - alpha) + alpha / 255 * Double(pixels[start + 2])
            luminance.append((red + green + blue) / 3)
            yellowBlue.append((red + green) / 2 - blue)
            redGreen.append(red - green)
            self.alpha.append(alpha)
        }
    }
}

/// A channel taken apart.
private struct Spectrum {
    let average: Double
    /// The greatest distance of a coefficient from 0.
    let scale: Double
    /// From 0 to 1: ½ stands for a coefficient of 0, the ends for those as great as the scale. All are 0 if the scale is.
    let coefficients: [Double]

    init(_ values: [Double], _ frequencies: [CosineTransform.Frequency], _ transform: CosineTransform) {
        average = transform.coefficient(of: values, at: .init(x: 0, y: 0))
        let exact = frequencies.map { transform.coefficient(of: values, at: $0) }
        let scale = exact.reduce(0) { max($0, abs($1)) }
        self.scale = scale
        coefficients = scale > 0 ? exact.map { 0.5 + 0.5 / scale * $0 } : exact
    }
}
