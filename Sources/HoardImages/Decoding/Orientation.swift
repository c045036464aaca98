// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How a picture has to be turned to be seen the right way up: the `Orientation` of EXIF, from 1 (as it is stored) to 8.
///
/// JPEG has it in an APP1 segment, PNG in a chunk `eXIf`, WebP in a chunk `EXIF`. AVIF has properties of its own, which
/// libavif reads. An orientation that is not there, or makes no sense, is 1.
struct Orientation: Hashable, Sendable {
    let value: Int

    static let asStored = Orientation(asStored: 1)

    /// Whether width and height change places.
    var exchangesSides: Bool { value >= 5 }

    private init(asStored value: Int) {
        self.value = value
    }

    /// - Returns: `nil` unless `value` is from 1 to 8.
    init?(value: Int) {
        guard (1...8).contains(value) else { return nil }
        self.value = value
    }

    /// Reads it from a file of this kind. O(*n*) in the segments or chunks before the picture itself.
    init(of format: ImageFormat, _ reader: ByteReader) {
        let start: Int? =
            switch format {
            case .jpeg: Self.startInJPEG(reader)
            case .png: Self.startInPNG(reader)
            case .webP: Self.startInWebP(reader)
            case .gif, .avif, .other: nil
            }
        self = start.flatMap { Self(tiff: reader, at: $0) } ?? .asStored
    }

    /// Where the EXIF data of a JPEG begins: in the first APP1 segment that has any, before the first scan.
    private static func startInJPEG(_ reader: ByteReader) -> Int? {
        var offset = 2
        while reader.byte(at: offset) == 0xFF, let marker = reader.byte(at: offset + 1) {
            switch marker {
            case 0xFF:
                // Markers may have any number of these before them.
                offset += 1
            case 0x01, 0xD0...0xD8:
                offset += 2
            case 0xD9, 0xDA:
                return nil
            default:
                guard let length = reader.uint16(at: offset + 2), length >= 2 else { return nil }
                if marker == 0xE1, reader.has(Array("Exif".utf8) + [0, 0], at: offset + 4) { return offset + 10 }
                offset += 2 + length
            }
        }
        return nil
    }

    private static func startInPNG(_ reader: ByteReader) -> Int? {
        var offset = 8
        while let length = reader.uint32(at: offset), !reader.has("IDAT", at: offset + 4), !reader.has("IEND", at: offset + 4) {
            if reader.has("eXIf", at: offset + 4) { return offset + 8 }
            offset += 12 + length
        }
        return nil
    }

    /// The chunk stands behind the picture. Some programs write the six bytes in front that a JPEG has.
    private static func startInWebP(_ reader: ByteReader) -> Int? {
        var offset = 12
        while let length = reader.uint32(at: offset + 4, isBigEndian: false) {
            if reader.has("EXIF", at: offset) { return reader.has(Array("Exif".utf8) + [0, 0], at: offset + 8) ? offset + 14 : offset + 8 }
            offset += 8 + length + length % 2
        }
        return nil
    }

    /// Looks for the tag in the first directory of a TIFF structure, in either byte order.
    private init?(tiff reader: ByteReader, at start: Int) {
        let isBigEndian: Bool
        if reader.has([0x4D, 0x4D, 0x00, 0x2A], at: start) {
            isBigEndian = true
        } else if reader.has([0x49, 0x49, 0x2A, 0x00], at: start) {
            isBigEndian = false
        } else {
            return nil
        }
        guard let directory = reader.uint32(at: start + 4, isBigEndian: isBigEndian),
            let count = reader.uint16(at: start + directory, isBigEndian: isBigEndian)
        else { return nil }
        for index in 0..<count {
            let entry = start + directory + 2 + index * 12
            guard let tag = reader.uint16(at: entry, isBigEndian: isBigEndian) else { return nil }
            guard tag == 0x0112 else { continue }
            let isOneShort =
                reader.uint16(at: entry + 2, isBigEndian: isBigEndian) == 3 && reader.uint32(at: entry + 4, isBigEndian: isBigEndian) == 1
            guard isOneShort, let value = reader.uint16(at: entry + 8, isBigEndian: isBigEndian), (1...8).contains(value) else { return nil }
            self.value = value
            return
        }
        return nil
    }
}
