// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import HoardImages
    import HoardTesting
    import HoardUI
    import Testing

    /// A list of 10,000 images that is flung up and down, with few cells that are used again and again, and a prefetcher ahead of them.
    @MainActor @Suite(.serialized, .timeLimit(.minutes(5))) struct ScrollTests {
        private static let count = 10_000
        private static let visibleCount = 12
        private static let memory = 200 * (4 + 256 + 4 * 32)

        @Test(arguments: [1, 2, 3] as [UInt64]) func cellsShowTheirOwnImagesAndLoadNoOthers(seed: UInt64) async {
            var generator = SeededGenerator(seed: seed)
            let server = PictureServer(maximumMemoryBytes: Self.memory)
            let prefetcher = ImagePrefetcher(server.images)
            var cells: [Int: ObservedImage] = [:]
            var unused: [ObservedImage] = []
            var ahead: Set<Int> = []
            var top = 0
            var isDown = true
            var hasSeenTheEnd = false
            while !hasSeenTheEnd, !Task.isCancelled {
                // A slow finger, or a fling.
                let distance =
                    Int.random(in: 0..<4, using: &generator) == 0
                    ? Int.random(in: 1...400, using: &generator) : Int.random(in: 0...3, using: &generator)
                top += isDown ? distance : -distance
                if Int.random(in: 0..<40, using: &generator) == 0 { isDown.toggle() }
                if top <= 0 { isDown = true }
                top = min(max(top, 0), Self.count - Self.visibleCount)
                let rows = top..<top + Self.visibleCount
                hasSeenTheEnd = rows.upperBound == Self.count
                for row in cells.keys.sorted() where !rows.contains(row) {
                    guard let cell = cells.removeValue(forKey: row) else { continue }
                    cell.stop()
                    unused.append(cell)
                }
                for row in rows where cells[row] == nil {
                    let cell = unused.popLast() ?? ObservedImage(server.images)
                    cell.url = PictureServer.url(row)
                    cell.start()
                    cells[row] = cell
                }
                let next = Set(isDown ? rows.upperBound..<min(Self.count, rows.upperBound + 12) : max(0, top - 12)..<top)
                prefetcher.stop(ahead.subtracting(next).sorted().map(PictureServer.url))
                prefetcher.start(next.subtracting(ahead).sorted().map(PictureServer.url))
                ahead = next
                server.wire.release(Int.random(in: 0...8, using: &generator), using: &generator)
                for _ in 0..<Int.random(in: 0...20, using: &generator) { await Task.yield() }
                check(cells, server)
                // Rows that have left have no load, and visible ones without an image have one.
                while !Task.isCancelled {
                    if let error = cells.values.compactMap(\.error).first {
                        Issue.record("\(error)")
                        return server.wire.open()
                    }
                    let numbers = server.wire.numbers
                    let missing = cells.filter { $1.image == nil }.keys
                    if numbers.isSubset(of: Set(rows).union(ahead)), numbers.isSuperset(of: missing) { break }
                    await Task.yield()
                }
                check(cells, server)
            }
            server.wire.open()
            while cells.values.contains(where: { $0.image == nil }), !Task.isCancelled { await Task.yield() }
            check(cells, server)
            #expect(cells.count == Self.visibleCount && cells.count + unused.count <= 2 * Self.visibleCount)
            #expect(cells.values.allSatisfy { $0.error == nil })
        }

        private func check(_ cells: [Int: ObservedImage], _ server: PictureServer) {
            for (row, cell) in cells {
                if let image = cell.image { #expect(image.number == row) }
            }
            #expect(server.images.statistics.bytes <= Self.memory)
        }
    }
#endif
