// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import HoardImages
    import HoardTesting
    import Testing

    @Suite struct BitmapCroppingTests {
        /// The pixels of a rectangle, found by asking every pixel of the picture. Sums cannot overflow.
        private static func expected(_ picture: Picture, _ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Picture? {
            func isInside(_ index: Int, _ start: Int, _ length: Int) -> Bool {
                Int128(index) >= Int128(start) && Int128(index) < Int128(start) + Int128(length)
            }
            let columns = (0..<picture.width).filter { isInside($0, x, width) }
            let rows = (0..<picture.height).filter { isInside($0, y, height) }
            guard !columns.isEmpty, !rows.isEmpty else { return nil }
            return Picture(width: columns.count, height: rows.count) { picture[columns[$0], rows[$1]] }
        }

        private static func number(upTo side: Int, using generator: inout SeededGenerator) -> Int {
            let extremes = [Int.min, Int.min + 1, -1, 0, 1, side - 1, side, Int.max - 1, Int.max]
            let isExtreme = Bool.random(using: &generator)
            return isExtreme ? extremes.randomElement(using: &generator) ?? 0 : Int.random(in: -side...2 * side, using: &generator)
        }

        @Test func rectanglesOfAllKindsKeepThePixelsThatLieInThem() throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            var (keptCount, emptyCount) = (0, 0)
            for _ in 0..<2_000 {
                let width = Int.random(in: 1...12, using: &generator)
                let height = Int.random(in: 1...12, using: &generator)
                let picture = Picture.noise(width, height, hasAlpha: true, using: &generator)
                let (x, y) = (Self.number(upTo: width, using: &generator), Self.number(upTo: height, using: &generator))
                let (partWidth, partHeight) = (Self.number(upTo: width, using: &generator), Self.number(upTo: height, using: &generator))
                let crop = ImageProcessor.cropped(x: x, y: y, width: partWidth, height: partHeight)
                if let expected = Self.expected(picture, x, y, partWidth, partHeight) {
                    keptCount += 1
                    #expect(Picture(try picture.bitmap().applying([crop])) == expected, "seed \(seed), \(crop) of \(width) × \(height)")
                } else {
                    emptyCount += 1
                    let error = #expect(throws: ImageError.self, "seed \(seed), \(crop) of \(width) × \(height)") {
                        try picture.bitmap().applying([crop])
                    }
                    #expect(error?.code == .failed, "seed \(seed)")
                }
            }
            #expect(keptCount > 100 && emptyCount > 100, "seed \(seed): too few of one kind")
        }

        @Test func anEmptyRectangleIsAnErrorThatNamesIt() throws {
            let bitmap = try Picture.gradient(4, 3).bitmap()
            let error = #expect(throws: ImageError.self) { try bitmap.applying([.cropped(x: 4, y: 0, width: 10, height: 20)]) }
            #expect(error?.code == .failed)
            #expect(
                error?.message == "The rectangle to crop, 10 × 20 pixels at (4, 0), has no pixel of the picture; choose one that overlaps it."
            )
        }

        @Test func aRectangleWithoutAnEndReachesToTheEdges() throws {
            let picture = Picture.gradient(4, 3)
            let corner = try picture.bitmap().applying([.cropped(x: 2, y: 1, width: .max, height: .max)])
            #expect(Picture(corner) == Picture(width: 2, height: 2) { x, y in picture[x + 2, y + 1] })
        }

        @Test func aRectangleAroundThePictureLeavesItAsItIs() throws {
            let bitmap = try Picture.gradient(4, 3).bitmap()
            #expect(try bitmap.applying([.cropped(x: -1, y: -1, width: .max, height: .max)]) == bitmap)
            #expect(try bitmap.applying([.cropped(x: 0, y: 0, width: 4, height: 3)]) == bitmap)
        }
    }
#endif
