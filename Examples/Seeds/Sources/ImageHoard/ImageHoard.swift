// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import HoardImages
import HoardTesting
import HoardTestingServer
import HoardTransports
import NIOCore

/// A cache of the app's own for images and other objects: memory in front of a disk.
///
/// The differences from the tutorial, and their reasons:
///
/// - `Cachable` throws where an object cannot be encoded or decoded, and an image keeps the bytes from which it
///   was made: it is never encoded again, which would cost quality and time each time it is stored.
/// - A key never becomes the name of a file, so it may hold any text. Objects from the disk come back decoded.
/// - The three methods are `async` instead of having completion handlers: storing returns when the disk has the object, and retrieving always returns.
/// - There is no shared instance: an app makes the cache, and closes it.
@main
struct Program {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-seeds-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let logo = try picture(width: 64, height: 32)
        let origin = try await FakeOrigin.start { request, _ in
            .init(fields: [.cacheControl: "max-age=60", .contentType: "image/png"], body: HTTPBody(ByteBuffer(bytes: logo)))
        }
        let transport = NIOTransport()

        try await usage(folder.path + "/images", origin, transport)
        try await otherObjects(folder.path + "/notes")
        try await imageCache(folder.path + "/cache", origin, transport)

        await transport.shutdown()
        await origin.stop()
    }

    /// The tutorial's usage.
    static func usage(_ directory: String, _ origin: FakeOrigin, _ transport: NIOTransport) async throws {
        print("Store and retrieve")
        let response = try await CachingClient(transport: transport).get(origin.url + "/googlelogo_color_272x92dp.png")
        let bytes = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        let image = try Bitmap(decoding: bytes)

        let cache = try ObjectCache<Bitmap>(directory: directory, weigher: \.byteCount)
        await cache.store(key: "image", object: image)
        if let image = await cache.retrieve("image") {
            print("  image: \(image.width) × \(image.height)")
        } else {
            print("  no image")
        }
        await cache.close()

        print("\nThe next start of the app")
        let next = try ObjectCache<Bitmap>(directory: directory, weigher: \.byteCount)
        let found = await next.retrieve("image")
        print("  image: \(found.map { "\($0.width) × \($0.height)" } ?? "none")")
        print("  the pixels are the same: \(found?.pixels == image.pixels)")
        print("  the bytes are those of the server: \(try found?.encode() == bytes)")
        await next.remove("image")
        print("  after removing: \(await next.retrieve("image").map { "\($0.width) × \($0.height)" } ?? "none")")
        await next.store(key: "../../image", object: image)
        print("  under a key like a path: \(await next.retrieve("../../image").map { "\($0.width) × \($0.height)" } ?? "none")")
        print("  files beside the cache: \(try FileManager.default.contentsOfDirectory(atPath: directory + "/..").filter { $0 != "images" })")
        await next.close()
    }

    /// Any `Codable` type becomes `Cachable` by saying so.
    struct Note: Codable, Cachable {
        var text: String
    }

    static func otherObjects(_ directory: String) async throws {
        print("\nOther objects")
        let notes = try ObjectCache<Note>(directory: directory) { _ in 1 }
        await notes.store(key: "groceries", object: Note(text: "Bread"))
        print("  groceries: \(await notes.retrieve("groceries")?.text ?? "no note")")
        print("  chores: \(await notes.retrieve("chores")?.text ?? "no note")")
        await notes.close()
    }

    /// Hoard's own cache for images.
    static func imageCache(_ directory: String, _ origin: FakeOrigin, _ transport: NIOTransport) async throws {
        print("\nHoard's own cache of images")
        let store = try DiskStore(configuration: .init(directory: directory))
        let images = ImageCache(client: CachingClient(transport: transport, stores: [store]))
        let url = origin.url + "/photo.png"
        let requestsBefore = origin.requests.count
        for size in [16, 16, 8] {
            let found = try await images.lookup(for: url, options: ImageOptions(maximumPixelSize: size))
            print("  at most \(size) pixels: \(found.image.width) × \(found.image.height), \(found.wasDecoded ? "decoded" : "as it was in memory")")
        }
        print("  requests: \(origin.requests.count - requestsBefore)")
        await store.close()
    }

    /// A picture as a server has it: the bytes of a PNG.
    static func picture(width: Int, height: Int) throws -> Data {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { pixels += [UInt8(x * 255 / width), UInt8(y * 255 / height), 128, 255] }
        }
        guard let bitmap = Bitmap(width: width, height: height, pixels: pixels) else { return Data() }
        return try bitmap.encode()
    }
}
