// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardDisk

@Suite struct CompressedFormatsTests {
    @Test(arguments: [
        "image/png", "image/jpeg", "image/webp", "video/mp4", "audio/mpeg", "font/woff", "font/woff2", "application/zip",
        "application/gzip", "application/zstd", "application/pdf", "application/epub+zip", "application/x-7z-compressed",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.example+zip",
        "IMAGE/PNG", "image/png; charset=binary", " image/png ; a=b", "Application/GZip;q=1",
    ])
    func typesThatAreCompressedAlreadyAreKnown(type: String) {
        #expect(CompressedFormats.includes(contentType: type))
    }

    @Test(arguments: [
        "text/html", "text/plain; charset=utf-8", "application/json", "application/xml", "image/svg+xml", "IMAGE/SVG+XML; charset=utf-8",
        "image/bmp", "image/x-ms-bmp", "font/ttf", "font/otf", "application/wasm", "application/octet-stream", "", ";", "image",
        "text/image/png", "application/zipper", "application/json; note=image/png",
    ])
    func typesThatAreWorthATryAreNot(type: String) {
        #expect(!CompressedFormats.includes(contentType: type))
    }

    private func isKnown(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { CompressedFormats.includes($0) }
    }

    @Test(arguments: [
        "1f8b08", "28b52ffd", "04224d18", "fd377a585a00", "425a6839", "504b0304", "377abcaf271c", "526172211a07", "89504e470d0a1a0a",
        "ffd8ffe0", "474946383961", "52494646ffffffff57454250", "00000018667479706d703432", "1a45dfa3", "4f676753", "49443304",
        "664c6143", "774f4646", "774f4632", "255044462d312e37",
    ])
    func firstBytesOfCompressedFormatsAreKnown(start: String) {
        let start = bytes(hexadecimal: start)
        #expect(isKnown(start))
        #expect(isKnown(start + [UInt8](repeating: 0, count: 1000)))
        #expect(!isKnown([0] + start))
    }

    @Test(arguments: ["", "1f", "ffd8", "<!doctype html>", #"{"a":1}"#, "RIFF....WAVE", "PK", "BMP"])
    func otherFirstBytesAreNot(start: String) {
        #expect(!isKnown(Array(start.utf8)))
    }

    @Test func anEmptyBufferWithoutAnAddressIsNot() {
        #expect(!CompressedFormats.includes(UnsafeRawBufferPointer(start: nil, count: 0)))
    }
}

@Suite struct CompressionTests {
    @Test func noneHasNoLevel() {
        #expect(DiskStore.Compression.none.level == nil)
    }

    @Test func levelOneIsTheDefault() {
        #expect(DiskStore.Compression.zlib() == .zlib(level: 1))
        #expect(DiskStore.Compression.zlib() != .none)
    }

    @Test(arguments: [(-5, 1), (0, 1), (1, 1), (6, 6), (9, 9), (10, 9), (Int.max, 9), (Int.min, 1)])
    func levelsBeyondTheRangeCountAsTheNearest(level: Int, expected: Int) {
        #expect(DiskStore.Compression.zlib(level: level).level == expected)
        #expect(DiskStore.Compression.zlib(level: level) == .zlib(level: expected))
    }
}
