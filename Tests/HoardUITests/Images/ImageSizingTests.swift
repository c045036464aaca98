// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardImages
import Testing

@testable import HoardUI

@Suite struct ImageSizingTests {
    private func size(_ sizing: ImageSizing, _ pixels: Int?, limit: Int? = nil) -> Int? {
        sizing.options(ImageOptions(maximumPixelSize: limit), longerSide: pixels)?.maximumPixelSize
    }

    @Test func aSizeIsRoundedUpByAQuarterAtMost() {
        for pixels in 1...5_000 {
            let size = size(.fit, pixels) ?? 0
            #expect(size >= pixels && size * 4 <= pixels * 5)
        }
        let sizes = Set((256...511).map { size(.fit, $0) })
        #expect(sizes == [256, 320, 384, 448, 512])
    }

    @Test func aFilledPlaceTakesTwiceTheSize() {
        #expect(size(.fill, 100) == 224)
        #expect(size(.fill, .max) == 1 << 21)
    }

    @Test func theOptionsAreALimit() {
        #expect(size(.fit, 300, limit: 100) == 100)
        #expect(size(.options, 300, limit: 100) == 100)
        #expect(ImageSizing.options.options(ImageOptions(), longerSide: nil) == ImageOptions())
    }

    @Test func theOptionsOfAViewAreInPixelsAndWithoutASizeTheyStay() {
        #expect(ImageSizing.fill.options(width: 80, height: 60, scale: 3).maximumPixelSize == size(.fill, 240))
        #expect(ImageSizing.fit.options(width: 30, height: 60, scale: 0).maximumPixelSize == size(.fit, 60))
        let options = ImageOptions(maximumPixelSize: 50)
        #expect(ImageSizing.fill.options(options, width: 80, height: 60, scale: 3) == options)
        #expect(ImageSizing.fit.options(options, width: 0, height: 0, scale: 3) == options)
        #expect(ImageSizing.options.options(options, width: 80, height: 60, scale: 3) == options)
    }

    @Test func aSizeThatNobodyKnowsIsNone() {
        #expect(ImageSizing.fit.options(ImageOptions(), longerSide: nil) == nil)
        #expect(ImageSizing.fill.options(ImageOptions(), longerSide: 0) == nil)
    }
}
