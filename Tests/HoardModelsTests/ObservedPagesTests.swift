// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardModels
import HoardTesting
import Testing

@MainActor @Suite("ObservedPages", .timeLimit(.minutes(5)))
struct ObservedPagesTests {
    private typealias Page = CachedPage<Int, Int>
    private struct Unreachable: Error {}

    /// A list of numbers that a server gives three at a time.
    private final class Server: Sendable {
        let state = Shared<(numbers: [Int], isAway: Bool, loads: [Int])>((Array(1...8), false, []))
        /// The gate at which loads of one page wait, if there is one.
        let gate = Shared<(cursor: Int, gate: Gate)?>(nil)

        @Sendable func load(_ cursor: Int?) async throws -> Page {
            if let (page, gate) = gate.value, page == cursor { await gate.pass() }
            let (numbers, isAway, _) = state.update { state in
                state.loads.append(cursor ?? 0)
                return state
            }
            if isAway { throw Unreachable() }
            let start = cursor.flatMap { cursor in numbers.firstIndex { $0 > cursor } } ?? (cursor == nil ? 0 : numbers.count)
            let items = Array(numbers[start...].prefix(3))
            return CachedPage(items: items, next: start + 3 < numbers.count ? items.last : nil)
        }

        func change(_ body: (inout [Int]) -> Void) { state.update { body(&$0.numbers) } }
    }

    private let fixture = ModelFixture()
    private let server = Server()
    private let cache = TieredCache<String, CachedPage<Int, Int>>(
        configuration: .init(maximumCount: 100, freshFor: .seconds(60)),
        stores: [],
        codec: .json
    )

    private func pages() -> ObservedPages<String, Int, Int> {
        ObservedPages(cache, key: { "after \($0 ?? 0)" }, refresh: .never, load: server.load)
    }

    /// A model that follows a list, with its first two pages.
    private func twoPages() async throws -> ObservedPages<String, Int, Int> {
        let pages = pages()
        pages.start()
        try await fixture.until { pages.items.count == 3 }
        pages.loadMore()
        try await fixture.until { pages.items.count == 6 }
        return pages
    }

    @Test func pagesAreLoadedOneAfterTheOther() async throws {
        let pages = pages()
        pages.start()
        defer { pages.stop() }
        try await fixture.until { pages.items == [1, 2, 3] }
        #expect(pages.hasMore)
        pages.loadMore()
        #expect(!pages.hasMore)
        pages.loadMore()
        try await fixture.until { pages.items == [1, 2, 3, 4, 5, 6] }
        pages.loadMore()
        try await fixture.until { pages.items == Array(1...8) }
        #expect(!pages.hasMore)
        #expect(!pages.isLoading)
        pages.loadMore()
        #expect(pages.pageCount == 3)
        #expect(server.state.value.loads == [0, 3, 6])
    }

    @Test func whatIsKeptIsThereAtOnce() async throws {
        await cache.insert(CachedPage(items: [1, 2, 3], next: 3), forKey: "after 0")
        await cache.insert(CachedPage(items: [4], next: nil), forKey: "after 3")
        let pages = pages()
        #expect(pages.items == [1, 2, 3])
        pages.loadMore()
        #expect(pages.items == [1, 2, 3, 4])
        #expect(server.state.value.loads.isEmpty)
    }

    @Test func aRefreshGoesFromTheTopWithNewCursors() async throws {
        let pages = try await twoPages()
        defer { pages.stop() }
        server.change { $0.insert(0, at: 0) }
        #expect(await pages.refresh())
        try await fixture.until { pages.items == [0, 1, 2, 3, 4, 5] }
        #expect(pages.pageCount == 2)
        #expect(server.state.value.loads.prefix(4) == [0, 3, 0, 2])
    }

    @Test func aPageThatOthersChangeHasOthersBehindIt() async throws {
        let pages = try await twoPages()
        defer { pages.stop() }
        await cache.insert(CachedPage(items: [1], next: 6), forKey: "after 0")
        try await fixture.until { pages.items == [1, 7, 8] }
        await cache.insert(CachedPage(items: [1], next: nil), forKey: "after 0")
        try await fixture.until { pages.items == [1] }
        #expect(pages.pageCount == 1)
    }

    @Test func aRefreshLoadsAPageThatComesInThePlaceOfAnother() async throws {
        let pages = try await twoPages()
        defer { pages.stop() }
        await cache.insert(CachedPage(items: [0], next: nil), forKey: "after 6")
        let gate = Gate()
        // The second page.
        server.gate.update { $0 = (3, gate) }
        let refresh = Task { await pages.refresh() }
        await gate.arrivals(1)
        await cache.insert(CachedPage(items: [1], next: 6), forKey: "after 0")
        try await fixture.until { pages.items == [1, 0] }
        gate.open()
        #expect(await refresh.value)
        #expect(server.state.value.loads.last == 6)
        try await fixture.until { pages.items == [1, 7, 8] }
    }

    @Test func aRefreshStopsAtTheFirstFailure() async throws {
        let pages = pages()
        pages.start()
        defer { pages.stop() }
        try await fixture.until { pages.items.count == 3 }
        server.state.update { $0.isAway = true }
        #expect(await !pages.refresh())
        #expect(pages.items == [1, 2, 3])
        #expect(pages.error is Unreachable)
    }
}
