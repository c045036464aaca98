// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CZlib
import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardImages
import HoardTesting
import NIOCore
import Synchronization

/// Serves a picture of one colour for each number, as `/42`, over a wire that a test holds.
final class PictureServer: Sendable {
    let wire = Wire()
    let time = ManualTicker()
    let transport: FakeTransport
    let images: ImageCache
    /// The numbers to which the server answers with an error.
    let broken = Shared<Set<Int>>([])
    /// The numbers to which the server answers with a GIF of three frames, whose numbers follow each other. Each is shown for 50 ms.
    let moving = Shared<Set<Int>>([])
    /// The length of the sides of pictures.
    let side = Shared(1)

    init(maximumMemoryBytes: Int = 64 << 20, stores: [any RecordStore] = [], keepsPlaceholders: Bool = false) {
        let (wire, broken, moving, side) = (wire, broken, moving, side)
        transport = FakeTransport { request in
            guard let number = request.head.path.flatMap({ Int($0.dropFirst()) }) else { return .text(status: .notFound) }
            guard await wire.pass(number) else { return .failure(TransportError(.cancelled, "The request was cancelled.")) }
            if broken.value.contains(number) { return .text(status: .internalServerError) }
            let fields: HTTPFields = [.cacheControl: "max-age=60"]
            let content = moving.value.contains(number) ? animation(number..<number + 3) : picture(number, side: side.value)
            return .response(HTTPResponse(status: .ok, headerFields: fields), body: HTTPBody(ByteBuffer(bytes: content)))
        }
        var configuration = ImageCache.Configuration()
        configuration.maximumMemoryBytes = maximumMemoryBytes
        configuration.keepsPlaceholders = keepsPlaceholders
        let cache = HTTPCache(configuration: .init(), stores: [], clock: time, ticker: time)
        let client = CachingClient(transport: transport, cache: cache)
        images = ImageCache(client: client, stores: stores, configuration: configuration, clock: time, ticker: time)
    }

    var requestCount: Int { transport.requests.count }

    static func url(_ number: Int) -> String { "http://example.com/\(number)" }
}

extension Bitmap {
    /// The number whose picture it is.
    var number: Int { Int(self[0, 0].red) << 16 | Int(self[0, 0].green) << 8 | Int(self[0, 0].blue) }
}

/// A PNG of one colour: [PNG §11](https://www.w3.org/TR/png-3/#11Chunks).
private func picture(_ number: Int, side: Int) -> [UInt8] {
    func bytes(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + content
        return bytes(content.count) + checked + bytes(Int(crc32(0, checked, UInt32(checked.count))))
    }
    let row = [[0]] + Array(repeating: Array(bytes(number).dropFirst()), count: side)
    let rows = Array(repeating: Array(row.joined()), count: side).flatMap(\.self)
    var packed = [UInt8](repeating: 0, count: Int(compressBound(UInt(rows.count))))
    var count = UInt(packed.count)
    compress(&packed, &count, rows, UInt(rows.count))
    let header = bytes(side) + bytes(side) + [8, 2, 0, 0, 0]
    return [137, 80, 78, 71, 13, 10, 26, 10] + chunk("IHDR", header) + chunk("IDAT", Array(packed[..<Int(count)])) + chunk("IEND", [])
}

/// A GIF of frames of one pixel that is shown once: [GIF89a](https://www.w3.org/Graphics/GIF/spec-gif89a.txt).
private func animation(_ numbers: Range<Int>) -> [UInt8] {
    let palette = (0..<4).flatMap { place in (0..<3).reversed().map { UInt8(truncatingIfNeeded: (numbers.lowerBound + place) >> ($0 * 8)) } }
    var bytes = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x81, 0, 0] + palette
    for place in 0..<numbers.count {
        // Shown for five hundredths of a second.
        bytes += [0x21, 0xF9, 4, 4, 5, 0, 0, 0]
        // Three codes of three bits: clear, the pixel, end.
        let codes = 4 | place << 3 | 5 << 6
        bytes += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, UInt8(codes & 0xFF), UInt8(codes >> 8), 0]
    }
    return bytes + [0x3B]
}
