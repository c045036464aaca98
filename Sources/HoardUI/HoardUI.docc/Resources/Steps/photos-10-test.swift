// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardHTTP
import HoardTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct PhotoLibraryTests {
    @MainActor @Test func photosAreThereWithoutANetwork() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("photos-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let time = ManualTicker()
        let network = FakeTransport { _ in .text(#"{"items": [{"id": 1, "title": "Tea", "url": "https://photos.example/1.png"}]}"#) }
        let library = try PhotoLibrary(directory: directory, transport: network, clock: time, ticker: time)
        let view = Task { await library.run() }
        while library.photos.isEmpty { await Task.yield() }
        view.cancel()
        await view.value
        await library.close()

        time.advance(by: .seconds(86_400))
        let noNetwork = FakeTransport(failingWith: TransportError(.failed, "There is no network."))
        let restarted = try PhotoLibrary(directory: directory, transport: noNetwork, clock: time, ticker: time)
        let viewAgain = Task { await restarted.run() }
        while restarted.photos.isEmpty { await Task.yield() }
        viewAgain.cancel()
        await viewAgain.value
        #expect(restarted.photos.map(\.title) == ["Tea"])
        await restarted.close()
    }
}
