// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Kinds of images, told by the first bytes. What a server or a file name says does not count.
enum ImageFormat: Sendable, Hashable {
    case png, jpeg
    /// Images that not every decoder can read, with the name of their kind.
    case other(String)

    init?(_ reader: ByteReader) {
        if reader.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
            self = .png
        } else if reader.has([0xFF, 0xD8, 0xFF], at: 0) {
            self = .jpeg
        } else if reader.has("GIF87a", at: 0) || reader.has("GIF89a", at: 0) {
            self = .other("GIF")
        } else if reader.has("RIFF", at: 0), reader.has("WEBP", at: 8) {
            self = .other("WebP")
        } else if reader.has("ftyp", at: 4), ["heic", "heix", "mif1", "msf1", "avif", "avis"].contains(where: { reader.has($0, at: 8) }) {
            self = .other("HEIF")
        } else if reader.has([0x49, 0x49, 0x2A, 0x00], at: 0) || reader.has([0x4D, 0x4D, 0x00, 0x2A], at: 0) {
            self = .other("TIFF")
        } else if reader.has("BM", at: 0), reader.has([0, 0, 0, 0], at: 6) {
            self = .other("BMP")
        } else {
            return nil
        }
    }
}
