// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import CHoardImagesTestSupport
    import Foundation

    extension Picture {
        /// A PNG of RGBA with 8 bits.
        func png(isInterlaced: Bool = false) -> Data {
            encodedPNG(width: width, height: height, depth: 8, colorType: 6, isInterlaced: isInterlaced, rows: pixels)
        }

        /// A JPEG of the colours.
        func jpeg(quality: Int = 100, isProgressive: Bool = false, keepsColorDetail: Bool = true) -> Data {
            let rgb = stride(from: 0, to: pixels.count, by: 4).flatMap { pixels[$0..<$0 + 3] }
            return encodedJPEG(
                width: width,
                height: height,
                components: 3,
                quality: quality,
                isProgressive: isProgressive,
                keepsColorDetail: keepsColorDetail,
                rows: rgb
            )
        }
    }

    /// - Parameter rows: As in the file: samples packed into bytes.
    func encodedPNG(
        width: Int,
        height: Int,
        depth: Int,
        colorType: Int,
        isInterlaced: Bool = false,
        palette: [UInt8] = [],
        paletteAlpha: [UInt8] = [],
        transparent: [Int] = [],
        repeatsFirstRow: Bool = false,
        rows: [UInt8]
    ) -> Data {
        let stride = repeatsFirstRow ? 0 : rows.count / height
        let transparent = transparent + Array(repeating: -1, count: 3 - transparent.count)
        return palette.withUnsafeBufferPointer { palette in
            paletteAlpha.withUnsafeBufferPointer { paletteAlpha in
                let description = test_png(
                    width: UInt32(width),
                    height: UInt32(height),
                    bit_depth: Int32(depth),
                    color_type: Int32(colorType),
                    is_interlaced: isInterlaced ? 1 : 0,
                    palette: palette.baseAddress,
                    palette_count: Int32(palette.count / 3),
                    palette_alpha: paletteAlpha.baseAddress,
                    palette_alpha_count: Int32(paletteAlpha.count),
                    transparent: (Int32(transparent[0]), Int32(transparent[1]), Int32(transparent[2]))
                )
                return taken { test_png_encode(description, rows, stride, &$0, &$1) }
            }
        }
    }

    func encodedJPEG(
        width: Int,
        height: Int,
        components: Int,
        quality: Int = 100,
        isProgressive: Bool = false,
        keepsColorDetail: Bool = true,
        usesYCCK: Bool = false,
        omitsAdobeMarker: Bool = false,
        repeatsFirstRow: Bool = false,
        rows: [UInt8]
    ) -> Data {
        let description = test_jpeg(
            width: UInt32(width),
            height: UInt32(height),
            components: Int32(components),
            quality: Int32(quality),
            is_progressive: isProgressive ? 1 : 0,
            keeps_color_detail: keepsColorDetail ? 1 : 0,
            uses_ycck: usesYCCK ? 1 : 0,
            omits_adobe_marker: omitsAdobeMarker ? 1 : 0
        )
        return taken { test_jpeg_encode(description, rows, repeatsFirstRow ? 0 : width * components, &$0, &$1) }
    }

    /// zlib's form of so many zeros.
    func compressedZeros(_ count: Int) -> Data {
        taken { test_compressed_zeros(count, &$0, &$1) }
    }

    private func taken(_ encode: (inout UnsafeMutablePointer<UInt8>?, inout Int) -> Void) -> Data {
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        encode(&bytes, &count)
        defer { free(bytes) }
        return bytes.map { Data(bytes: $0, count: count) } ?? Data()
    }
#endif
