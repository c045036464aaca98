// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import HoardImages
    import Testing

    @Suite struct JPEGDecodingTests {
        @Test(arguments: [false, true], [false, true]) func coloursAreCloseToThoseThatWereEncoded(isProgressive: Bool, keepsColorDetail: Bool) throws
        {
            let picture = Picture.gradient(67, 45)
            let bitmap = try Bitmap(decoding: picture.jpeg(isProgressive: isProgressive, keepsColorDetail: keepsColorDetail))
            #expect(Picture(bitmap).greatestDifference(from: picture) <= 6)
        }

        @Test func grayHasThreeEqualChannels() throws {
            let rows = (0..<32 * 16).map { UInt8($0 % 32 * 7) }
            let bitmap = try Bitmap(decoding: encodedJPEG(width: 32, height: 16, components: 1, rows: rows))
            let expected = Picture(width: 32, height: 16) { x, _ in [UInt8](repeating: UInt8(x * 7), count: 3) + [255] }
            #expect(Picture(bitmap).greatestDifference(from: expected) <= 3)
        }

        /// Programs that write the Adobe marker write inks inverted.
        @Test(arguments: [(false, false), (true, false), (false, true)]) func inksBecomeColours(usesYCCK: Bool, omitsAdobeMarker: Bool) throws {
            // Cyan with some black, over the whole picture: red is absorbed, green and blue are darkened.
            let inks: [UInt8] = [255, 0, 0, 51]
            let stored = omitsAdobeMarker ? inks : inks.map { 255 - $0 }
            let data = encodedJPEG(
                width: 16,
                height: 16,
                components: 4,
                usesYCCK: usesYCCK,
                omitsAdobeMarker: omitsAdobeMarker,
                rows: (0..<16 * 16).flatMap { _ in stored }
            )
            let expected = Picture(width: 16, height: 16) { _, _ in [0, 204, 204, 255] }
            #expect(Picture(try Bitmap(decoding: data)).greatestDifference(from: expected) <= 4)
        }

        @Test func oddSizesAreWhole() throws {
            for (width, height) in [(1, 1), (1, 9), (9, 1), (15, 17)] {
                let picture = Picture.gradient(width, height)
                #expect(Picture(try Bitmap(decoding: picture.jpeg())).greatestDifference(from: picture) <= 6)
            }
        }

        @Test func aLosslessJPEGIsUnsupported() throws {
            // The marker of the frame says which process made it.
            var data = Picture.gradient(16, 16).jpeg()
            let frame = try #require(data.firstRange(of: Data([0xFF, 0xC0])))
            data[frame.lowerBound + 1] = 0xC3
            #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: data) }?.code == .unsupported)
        }

        @Test func twelveBitsAreUnsupported() throws {
            var data = Picture.gradient(16, 16).jpeg()
            let frame = try #require(data.firstRange(of: Data([0xFF, 0xC0])))
            data[frame.lowerBound + 4] = 12
            #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: data) }?.code == .unsupported)
        }
    }
#endif
