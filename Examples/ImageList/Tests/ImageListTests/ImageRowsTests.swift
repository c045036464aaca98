// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardImages
import HoardTesting
import NIOCore
import Testing

@testable import ImageList

@MainActor @Suite(.timeLimit(.minutes(1))) struct ImageRowsTests {
    private let transport: FakeTransport
    private let rows: ImageRows

    init() throws {
        // One grey pixel.
        let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
        let picture = ByteBuffer(bytes: try #require(Data(base64Encoded: png)))
        transport = FakeTransport { _ in
            .response(HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=3600"]), body: HTTPBody(picture))
        }
        rows = ImageRows((0..<10).map { "http://example.com/\($0).png" }, from: ImageCache(client: CachingClient(transport: transport)))
        rows.options = ImageOptions(maximumPixelSize: 192)
    }

    private func isInMemory(_ row: Int) -> Bool { rows.images.memoryImage(for: rows.urls[row], options: rows.options) != nil }

    private func until(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func aPrefetchedRowIsInMemoryWhenItsCellAsks() async throws {
        rows.prefetch([3, 4])
        try await until { isInMemory(3) && isInMemory(4) }
        #expect(!isInMemory(5))
        #expect(transport.requests.count == 2)
    }

    @Test func rowsThatAreNotComingAnyMoreAreNotLoaded() async throws {
        let hold = transport.hold()
        rows.prefetch(Array(0..<10))
        await hold.arrivals(2)
        rows.cancelPrefetching(Array(0..<9))
        // The two under way are cancelled, and the only one that is wanted comes next.
        await hold.arrivals(3)
        hold.release()
        try await until { isInMemory(9) }
        #expect(transport.requests.count == 3)
        #expect(transport.requests.last?.head.path == "/9.png")
    }

    @Test func rowsOfAnotherListAreLeftAlone() async throws {
        rows.prefetch([7, 10, -1])
        try await until { isInMemory(7) }
        rows.urls = []
        rows.cancelPrefetching([7])
        #expect(transport.requests.count == 1)
    }
}
