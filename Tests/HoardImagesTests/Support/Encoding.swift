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

    #if WebP
        extension Picture {
            /// A WebP: exactly, or with a quality of 0 to 100.
            func webP(quality: Float? = nil) -> Data {
                taken { test_webp_encode(UInt32(width), UInt32(height), quality == nil ? 1 : 0, quality ?? 75, pixels, &$0, &$1) }
            }
        }

        /// One frame of a WebP that moves. Its place has even numbers.
        struct WebPFrame {
            var x = 0
            var y = 0
            var picture: Picture
            var milliseconds = 50
            /// Whether its place is emptied when its time is over.
            var isDisposed = false
        }

        /// Each frame takes the place of the pixels under it, without mixing.
        func encodedWebP(width: Int, height: Int, plays: Int = 0, frames: [WebPFrame]) -> Data {
            let (hasAlpha, isAnimated): (UInt8, UInt8) = (0x10, 0x02)
            var chunks = Data.riffChunk(
                "VP8X",
                Data([hasAlpha | isAnimated, 0, 0, 0]) + Data.littleEndian(width - 1, bytes: 3) + Data.littleEndian(height - 1, bytes: 3)
            )
            chunks += Data.riffChunk("ANIM", Data(repeating: 0, count: 4) + Data.littleEndian(plays, bytes: 2))
            for frame in frames {
                let numbers = [frame.x / 2, frame.y / 2, frame.picture.width - 1, frame.picture.height - 1, frame.milliseconds]
                let head = numbers.reduce(Data()) { $0 + Data.littleEndian($1, bytes: 3) } + Data([frame.isDisposed ? 3 : 2])
                chunks += Data.riffChunk("ANMF", head + frame.picture.webP().dropFirst(12))
            }
            return Data("RIFF".utf8) + Data.littleEndian(chunks.count + 4, bytes: 4) + Data("WEBP".utf8) + chunks
        }
    #endif

    #if GIF
        /// One frame of a GIF, with an index into the palette for each of its pixels.
        struct GIFFrame {
            var x = 0
            var y = 0
            var width: Int
            var height: Int
            /// Hundredths of a second.
            var delay = 5
            /// As in the file: 0 unspecified, 1 stays, 2 background, 3 previous.
            var disposal = 0
            var transparent: UInt8?
            var isInterlaced = false
            var indices: [UInt8]
        }

        /// - Parameter palette: 256 times red, green and blue.
        func encodedGIF(width: Int, height: Int, palette: [UInt8], repeats: Int? = nil, frames: [GIFFrame]) -> Data {
            let indices = frames.flatMap(\.indices)
            return indices.withUnsafeBufferPointer { indices in
                var offset = 0
                let frames = frames.map { frame in
                    defer { offset += frame.width * frame.height }
                    return test_gif_frame(
                        x: UInt32(frame.x),
                        y: UInt32(frame.y),
                        width: UInt32(frame.width),
                        height: UInt32(frame.height),
                        delay: Int32(frame.delay),
                        disposal: Int32(frame.disposal),
                        transparent: frame.transparent.map { Int32($0) } ?? -1,
                        is_interlaced: frame.isInterlaced ? 1 : 0,
                        indices: indices.baseAddress.map { $0 + offset }
                    )
                }
                return taken { test_gif_encode(UInt32(width), UInt32(height), palette, Int32(repeats ?? -1), frames, frames.count, &$0, &$1) }
            }
        }
    #endif

    #if AVIF
        /// An AVIF of frames of one size; more than one are a sequence.
        ///
        /// - Parameters:
        ///   - isGrid: Whether the frames are the tiles of one still picture, side by side.
        ///   - turns: Quarter turns against the clock.
        ///   - mirror: The mirror's mode: 0 exchanges top and bottom, 1 left and right.
        func encodedAVIF(
            _ frames: [Picture],
            depth: Int = 8,
            isLossless: Bool = true,
            hasAlpha: Bool = true,
            turns: Int = 0,
            mirror: Int? = nil,
            milliseconds: Int = 50,
            isGrid: Bool = false
        ) -> Data {
            let description = test_avif(
                width: UInt32(frames[0].width),
                height: UInt32(frames[0].height),
                depth: Int32(depth),
                is_lossless: isLossless ? 1 : 0,
                has_alpha: hasAlpha ? 1 : 0,
                turns: Int32(turns),
                mirror: Int32(mirror ?? -1),
                frames: UInt32(frames.count),
                milliseconds: UInt32(milliseconds),
                is_grid: isGrid ? 1 : 0
            )
            return taken { test_avif_encode(description, frames.flatMap(\.pixels), &$0, &$1) }
        }
    #endif

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
