// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import CHoardImagesTestSupport
    import Foundation
    import HoardImages
    import Testing

    /// Each in a process of its own, whose peak memory is the picture's.
    @Suite(.serialized) struct ImageMemoryTests {
        static let side = 4_000

        /// The growth of the process's peak memory by decoding the picture.
        private static func growth(decoding data: Data, maximumPixelSize: Int) -> Int {
            let before = test_peak_memory()
            guard let bitmap = try? Bitmap(decoding: data, maximumPixelSize: maximumPixelSize), bitmap.width == maximumPixelSize else { return .max }
            return Int(test_peak_memory() - before)
        }

        private static func png(isInterlaced: Bool) -> Data {
            let row = (0..<side * 3).map { UInt8(truncatingIfNeeded: $0 / 64) }
            return encodedPNG(width: side, height: side, depth: 8, colorType: 2, isInterlaced: isInterlaced, repeatsFirstRow: true, rows: row)
        }

        // In full, each of them is 64 MB.

        @Test func aHugeJPEGCostsWhatIsShown() async {
            await #expect(processExitsWith: .success) {
                let row = (0..<ImageMemoryTests.side * 3).map { UInt8(truncatingIfNeeded: $0 / 64) }
                let data = encodedJPEG(
                    width: ImageMemoryTests.side,
                    height: ImageMemoryTests.side,
                    components: 3,
                    quality: 80,
                    keepsColorDetail: false,
                    repeatsFirstRow: true,
                    rows: row
                )
                let growth = ImageMemoryTests.growth(decoding: data, maximumPixelSize: 200)
                #expect(growth < 4 << 20)
            }
        }

        @Test func aHugePNGCostsWhatIsShown() async {
            await #expect(processExitsWith: .success) {
                let growth = ImageMemoryTests.growth(decoding: ImageMemoryTests.png(isInterlaced: false), maximumPixelSize: 200)
                #expect(growth < 4 << 20)
            }
        }

        @Test func aHugeInterlacedPNGCostsWhatIsShown() async {
            await #expect(processExitsWith: .success) {
                let growth = ImageMemoryTests.growth(decoding: ImageMemoryTests.png(isInterlaced: true), maximumPixelSize: 200)
                #expect(growth < 6 << 20)
            }
        }
    }
#endif
