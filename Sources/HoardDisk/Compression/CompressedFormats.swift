// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The formats of payloads that need no attempt to compress them, because they are compressed already.
enum CompressedFormats {
    /// Whether content of this media type (RFC 9110, 8.3.1) is usually compressed by its own format. Parameters do not matter.
    static func includes(contentType: String) -> Bool {
        let type = String(contentType.prefix { $0 != ";" }.filter { !$0.isWhitespace }).lowercased()
        if uncompressedImages.contains(type) { return false }
        return prefixes.contains { type.hasPrefix($0) } || types.contains(type) || type.hasSuffix("+zip") || type.hasSuffix("+gzip")
    }

    private static let uncompressedImages: Set<String> = ["image/svg+xml", "image/bmp", "image/x-bmp", "image/x-ms-bmp"]

    private static let prefixes = [
        "image/", "video/", "audio/", "font/woff", "application/font-woff", "application/vnd.openxmlformats-officedocument.",
    ]

    private static let types: Set<String> = [
        "application/brotli", "application/epub+zip", "application/gzip", "application/java-archive", "application/pdf",
        "application/vnd.rar", "application/x-7z-compressed", "application/x-br", "application/x-brotli", "application/x-bzip2",
        "application/x-gzip", "application/x-rar-compressed", "application/x-xz", "application/x-zip-compressed", "application/x-zstd",
        "application/zip", "application/zstd",
    ]

    /// Whether the first bytes are those of a compressed format. O(1).
    static func includes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        signatures.contains { signature in
            bytes.count >= signature.offset + signature.bytes.count
                && bytes[signature.offset..<signature.offset + signature.bytes.count].elementsEqual(signature.bytes)
        }
    }

    private static let signatures: [(offset: Int, bytes: [UInt8])] = [
        (0, [0x1f, 0x8b]),  // gzip
        (0, [0x28, 0xb5, 0x2f, 0xfd]),  // zstd
        (0, [0x04, 0x22, 0x4d, 0x18]),  // lz4
        (0, [0xfd] + "7zXZ".utf8),  // xz
        (0, Array("BZh".utf8)),  // bzip2
        (0, Array("PK".utf8) + [3, 4]),  // zip, and formats built on it
        (0, [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]),  // 7z
        (0, Array("Rar!".utf8)),
        (0, [0x89] + "PNG".utf8),
        (0, [0xff, 0xd8, 0xff]),  // JPEG
        (0, Array("GIF8".utf8)),
        (8, Array("WEBP".utf8)),
        (4, Array("ftyp".utf8)),  // MP4, HEIF, AVIF
        (0, [0x1a, 0x45, 0xdf, 0xa3]),  // Matroska, WebM
        (0, Array("OggS".utf8)),
        (0, Array("ID3".utf8)),  // MP3
        (0, Array("fLaC".utf8)),
        (0, Array("wOFF".utf8)),
        (0, Array("wOF2".utf8)),
        (0, Array("%PDF".utf8)),
    ]
}
