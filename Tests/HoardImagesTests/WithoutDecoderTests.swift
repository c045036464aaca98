// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Images && os(Linux)
    import Foundation
    import Hoard
    import HoardImages
    import Testing

    /// Built with the package trait `Images` off.
    @Suite struct WithoutDecoderTests {
        private let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

        @Test func decodingSaysThatThereIsNoDecoder() async throws {
            #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: png) }?.code == .decoderNotAvailable)
            #expect(#expect(throws: ImageError.self) { try Bitmap(decoding: Data("text".utf8)) }?.code == .notAnImage)
            let drawn = try #require(Bitmap(width: 1, height: 1, pixels: [1, 2, 3, 4]))
            #expect(throws: ImageError.self) { try drawn.encode() }
        }

        @Test func originalsAreKeptAllTheSame() async throws {
            let images = ImageCache(stores: [MemoryStore()])
            try await images.store(png, forKey: "photo")
            #expect(await images.original(forKey: "photo") == png)
            #expect(await #expect(throws: ImageError.self) { try await images.image(forKey: "photo") }?.code == .decoderNotAvailable)
        }
    }
#endif
