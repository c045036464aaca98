// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import CHoardImagesTestSupport
    import Foundation

    extension Data {
        /// A PNG with a chunk of this name behind its header, or before its pixels.
        func insertingChunk(_ name: String, _ content: Data, at place: Int = 33) -> Data {
            Data(prefix(place)) + Self.chunk(name, content) + Data(dropFirst(place))
        }

        static func chunk(_ name: String, _ content: Data) -> Data {
            let named = Data(name.utf8) + content
            return bigEndian(content.count, bytes: 4) + named + bigEndian(Int(test_crc32(Array(named), named.count)), bytes: 4)
        }

        /// A PNG that says it has other sides, with the right checksum.
        func claimingSize(_ width: Int, _ height: Int) -> Data {
            let rest = Data(self[24..<29])
            return Data(prefix(8)) + Self.chunk("IHDR", Self.bigEndian(width, bytes: 4) + Self.bigEndian(height, bytes: 4) + rest)
                + Data(dropFirst(33))
        }

        /// A JPEG with a segment behind its first marker.
        func insertingSegment(_ marker: UInt8, _ content: Data) -> Data {
            Data(prefix(2)) + Data([0xFF, marker]) + Self.bigEndian(content.count + 2, bytes: 2) + content + Data(dropFirst(2))
        }

        /// A WebP of one picture, in the form that has other chunks, with one behind the picture.
        func appendingRIFFChunk(_ name: String, _ content: Data, width: Int, height: Int) -> Data {
            let hasAlpha: UInt8 = 0x10
            let hasEXIF: UInt8 = 0x08
            let header = Data([hasAlpha | hasEXIF, 0, 0, 0]) + Self.littleEndian(width - 1, bytes: 3) + Self.littleEndian(height - 1, bytes: 3)
            let chunks = Self.riffChunk("VP8X", header) + Data(dropFirst(12)) + Self.riffChunk(name, content)
            return Data("RIFF".utf8) + Self.littleEndian(chunks.count + 4, bytes: 4) + Data("WEBP".utf8) + chunks
        }

        /// An AVIF whose list of items is in a box with a length of 64 bits. Its pictures stay where they are: two brands make room for that.
        func wideningItemList() -> Data {
            let brands = Int(self[3])
            let length = self[brands..<brands + 4].reduce(0) { $0 << 8 | Int($1) } + 8
            let type = Self.bigEndian(brands - 8, bytes: 4) + self[4..<brands - 8]
            return type + Self.bigEndian(1, bytes: 4) + self[brands + 4..<brands + 8] + Self.bigEndian(length, bytes: 8) + self[(brands + 8)...]
        }

        static func riffChunk(_ name: String, _ content: Data) -> Data {
            Data(name.utf8) + littleEndian(content.count, bytes: 4) + content + Data(repeating: 0, count: content.count % 2)
        }

        /// A JPEG that says it has other sides.
        func claimingJPEGSize(_ width: Int, _ height: Int) -> Data {
            var changed = self
            var offset = 2
            while offset + 9 < count, ![0xC0, 0xC1, 0xC2].contains(self[offset + 1]) {
                offset += 2 + Int(self[offset + 2]) << 8 + Int(self[offset + 3])
            }
            changed.replaceSubrange(offset + 5..<offset + 9, with: Self.bigEndian(height, bytes: 2) + Self.bigEndian(width, bytes: 2))
            return changed
        }

        static func bigEndian(_ number: Int, bytes: Int) -> Data {
            Data((0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
        }

        static func littleEndian(_ number: Int, bytes: Int) -> Data {
            Data(bigEndian(number, bytes: bytes).reversed())
        }

        /// A TIFF structure whose directory has one other tag and the orientation.
        static func exif(orientation: Int, isBigEndian: Bool = true) -> Data {
            let number = isBigEndian ? bigEndian : littleEndian
            var tiff = Data((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4) + number(2, 2)
            tiff += number(0x0100, 2) + number(4, 2) + number(1, 4) + number(999, 4)
            tiff += number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + number(0, 2)
            return tiff + number(0, 4)
        }
    }
#endif
