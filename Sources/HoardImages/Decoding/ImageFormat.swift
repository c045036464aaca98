// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Kinds of images, told by the first bytes. The type of a response and the name of a file do not count.
enum ImageFormat: Sendable, Hashable {
    case png, jpeg, webP, gif, avif
    /// Images that not every decoder can read, with the name of their kind.
    case other(String)

    init?(_ reader: ByteReader) {
        if reader.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
            self = .png
        } else if reader.has([0xFF, 0xD8, 0xFF], at: 0) {
            self = .jpeg
        } else if reader.has("GIF87a", at: 0) || reader.has("GIF89a", at: 0) {
            self = .gif
        } else if reader.has("RIFF", at: 0), reader.has("WEBP", at: 8) {
            self = .webP
        } else if reader.has("ftyp", at: 4), let format = Self.ofBoxes(reader) {
            self = format
        } else if reader.has([0x49, 0x49, 0x2A, 0x00], at: 0) || reader.has([0x4D, 0x4D, 0x00, 0x2A], at: 0) {
            self = .other("TIFF")
        } else if reader.has("BM", at: 0), reader.has([0, 0, 0, 0], at: 6) {
            self = .other("BMP")
        } else {
            return nil
        }
    }

    /// The kind of a file made of boxes, by its brands: the one that it has first, or the ones that it is compatible with.
    /// The standard is ISO/IEC 23008-12, section 10.
    private static func ofBoxes(_ reader: ByteReader) -> ImageFormat? {
        guard let length = reader.uint32(at: 0) else { return nil }
        let end = min(length, reader.count, 256)
        // Behind the first brand comes its version.
        for offset in [8] + Array(stride(from: 16, to: max(16, end - 3), by: 4)) {
            if ["avif", "avis"].contains(where: { reader.has($0, at: offset) }) { return .avif }
            if ["heic", "heix", "hevc", "hevx"].contains(where: { reader.has($0, at: offset) }) { return .other("HEIF") }
        }
        return ["mif1", "msf1"].contains { reader.has($0, at: 8) } ? .other("HEIF") : nil
    }
}
