// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardImages

@Suite struct DecodeTargetTests {
    /// A side of any magnitude that the maximum allows, as often short as long.
    private static func side(upTo maximum: Int, using generator: inout SeededGenerator) -> Int {
        let bits = Int.random(in: 0..<(Int.bitWidth - maximum.leadingZeroBitCount), using: &generator)
        return min(maximum, Int.random(in: 1...((2 << bits) &- 1), using: &generator))
    }

    /// Whether `length` is `side * numerator / denominator` to the nearest pixel, or the one pixel that is left.
    private static func isNearest(_ length: Int, _ side: Int, by numerator: Int, over denominator: Int) -> Bool {
        let error = Int128(length) * Int128(denominator) - Int128(side) * Int128(numerator)
        return 2 * error.magnitude <= Int128(denominator).magnitude || (length == 1 && error > 0)
    }

    /// Five thousand sizes and boxes, with the seed they come from.
    private static func forEachSize(_ body: (_ size: TargetSize, _ box: TargetSize, _ seed: UInt64) -> Void) {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<5_000 {
            let sideLimit = round % 2 == 0 ? 60 : Int(Int32.max)
            let boxLimit = round % 3 == 0 ? 60 : round % 3 == 1 ? Int(Int32.max) : Int.max
            let size = TargetSize(width: side(upTo: sideLimit, using: &generator), height: side(upTo: sideLimit, using: &generator))
            let box = TargetSize(width: side(upTo: boxLimit, using: &generator), height: side(upTo: boxLimit, using: &generator))
            body(size, box, seed)
        }
    }

    @Test func aFittingSizeIsTheLargestThatLiesWithinTheBox() {
        Self.forEachSize { size, box, seed in
            let result = DecodeTarget.fitting(width: box.width, height: box.height).size(of: size.width, size.height)
            guard size.width > box.width || size.height > box.height else {
                #expect(result == size, "seed \(seed), \(size), \(box)")
                return
            }
            let isWithin = (1...min(box.width, size.width)).contains(result.width) && (1...min(box.height, size.height)).contains(result.height)
            #expect(isWithin, "seed \(seed), \(size), \(box), \(result)")
            let isInProportion =
                (result.width == box.width && Self.isNearest(result.height, size.height, by: box.width, over: size.width))
                || (result.height == box.height && Self.isNearest(result.width, size.width, by: box.height, over: size.height))
            #expect(isInProportion, "seed \(seed), \(size), \(box), \(result)")
        }
    }

    @Test func aCoveringSizeIsTheSmallestThatCoversTheBox() {
        Self.forEachSize { size, box, seed in
            let result = DecodeTarget.covering(width: box.width, height: box.height).size(of: size.width, size.height)
            guard size.width >= box.width, size.height >= box.height else {
                #expect(result == size, "seed \(seed), \(size), \(box)")
                return
            }
            #expect(result.width >= box.width && result.height >= box.height, "seed \(seed), \(size), \(box), \(result)")
            #expect(result.width <= size.width && result.height <= size.height, "seed \(seed), \(size), \(box), \(result)")
            let isInProportion =
                (result.width == box.width && Self.isNearest(result.height, size.height, by: box.width, over: size.width))
                || (result.height == box.height && Self.isNearest(result.width, size.width, by: box.height, over: size.height))
            #expect(isInProportion, "seed \(seed), \(size), \(box), \(result)")
        }
    }

    @Test func processorsComeToTheSameSizeFromWhatTheDecoderReturns() {
        Self.forEachSize { size, box, seed in
            let fitting = DecodeTarget(maximumPixelSize: nil, processors: [.fitted(width: box.width, height: box.height)])
            let decoded = fitting.size(of: size.width, size.height)
            #expect(decoded.fitted(into: box) == decoded, "seed \(seed), \(size), \(box)")
            #expect(decoded == size.fitted(into: box), "seed \(seed), \(size), \(box)")

            let covering = DecodeTarget(maximumPixelSize: nil, processors: [.filled(width: box.width, height: box.height)])
            let covered = covering.size(of: size.width, size.height)
            #expect(covered.covering(box) == covered, "seed \(seed), \(size), \(box)")
            let shape = covered.cropped(toShapeOf: box)
            #expect(shape.width <= covered.width && shape.height <= covered.height, "seed \(seed), \(size), \(box)")
            if size.width >= box.width, size.height >= box.height { #expect(shape == box, "seed \(seed), \(size), \(box)") }
        }
    }

    /// A decoder that scales exactly, as that of PNG does, and the full picture lead to the same pixels.
    @Test func processorsMakeTheSamePictureFromWhatTheDecoderReturns() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let (width, height) = (Int.random(in: 1...30, using: &generator), Int.random(in: 1...30, using: &generator))
            let (boxWidth, boxHeight) = (Int.random(in: 1...35, using: &generator), Int.random(in: 1...35, using: &generator))
            let pixels = (0..<width * height * 4).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let full = try #require(Bitmap(width: width, height: height, pixels: pixels))
            let first: ImageProcessor = round % 2 == 0 ? .fitted(width: boxWidth, height: boxHeight) : .filled(width: boxWidth, height: boxHeight)
            let processors = [first, .rounded(radius: 3)]
            let size = DecodeTarget(maximumPixelSize: nil, processors: processors).size(of: width, height)
            let decoded = full.scaled(to: size)
            #expect(decoded.width == size.width && decoded.height == size.height, "seed \(seed)")
            #expect(try decoded.applying(processors) == full.applying(processors), "seed \(seed), \(width) × \(height), \(first)")
        }
    }

    @Test func theLongerSideIsThatOfOptionsWithoutProcessors() {
        Self.forEachSize { size, box, seed in
            let maximum = min(box.width, Int(Int32.max))
            let result = DecodeTarget.longerSide(maximum).size(of: size.width, size.height)
            let longer = max(size.width, size.height)
            // To the nearest pixel; the product of two sides fits into twice the width.
            func scaled(_ side: Int) -> Int { longer <= maximum ? side : max(1, (side * maximum + longer / 2) / longer) }
            #expect((result.width, result.height) == (scaled(size.width), scaled(size.height)), "seed \(seed), \(size), \(maximum)")
        }
    }

    @Test func theFirstProcessorDecidesUnlessThereIsAMaximum() {
        let fitted = ImageProcessor.fitted(width: 30, height: 20)
        let filled = ImageProcessor.filled(width: 30, height: 20)
        #expect(DecodeTarget(maximumPixelSize: nil, processors: []) == .full)
        #expect(DecodeTarget(maximumPixelSize: nil, processors: [fitted, .circle]) == .fitting(width: 30, height: 20))
        #expect(DecodeTarget(maximumPixelSize: nil, processors: [filled, fitted]) == .covering(width: 30, height: 20))
        #expect(DecodeTarget(maximumPixelSize: 9, processors: [fitted]) == .longerSide(9))
        #expect(DecodeTarget(maximumPixelSize: -9, processors: []) == .longerSide(1))
        let others: [ImageProcessor] = [
            .circle, .rounded(radius: 1), .cropped(x: 0, y: 0, width: 1, height: 1), .tinted(red: 1, green: 1, blue: 1),
            .custom(name: "a", version: 1) { $0 },
        ]
        for other in others { #expect(DecodeTarget(maximumPixelSize: nil, processors: [other, fitted]) == .full) }
        #expect(DecodeTarget.full.size(of: 7, 5) == TargetSize(width: 7, height: 5))
    }

    @Test(arguments: [
        (DecodeTarget.fitting(width: 100, height: 600), 150, 100), (.covering(width: 100, height: 600), 600, 400), (.longerSide(60), 60, 40),
        (.full, 6_000, 4_000), (.fitting(width: 600, height: 100), 100, 67),
    ])
    func anOrientationThatExchangesTheSidesIsReckonedWith(target: DecodeTarget, width: Int, height: Int) {
        // Stored as 6,000 × 4,000, seen as 4,000 × 6,000.
        #expect(target.size(of: 6_000, 4_000, exchangesSides: true) == TargetSize(width: width, height: height))
        #expect(target.size(of: 4_000, 6_000, exchangesSides: false) == TargetSize(width: height, height: width))
    }
}
