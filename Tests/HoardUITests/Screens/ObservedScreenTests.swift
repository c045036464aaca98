// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting
import HoardUI
import HoardViews
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct ObservedScreenTests {
    private let screens = FakeScreens()

    private func client(_ transport: FakeTransport, _ time: ManualTicker) -> ViewClient {
        ViewClient(
            dependencies: .init(
                urlBuilder: URLBuilder(baseURL: URL(string: "http://example.com")),
                client: CachingClient(transport: transport, cache: HTTPCache(stores: [], clock: time, ticker: time))
            ),
            clock: time,
            ticker: time
        )
    }

    @Test func aScreenIsShownAndItsRoutesArePrefetched() async {
        screens.serve("Shop", at: "/home", leadingTo: [.init("/cart", shouldPrefetch: true), .init("/help")])
        let request = ViewRequest("/home", additionalData: .init(headers: [.authorization: "me"]), partition: "ada", isSensitive: true)
        let model = ObservedScreen(screens, request)
        #expect(model.view == nil && !model.isLoading)
        await model.run()
        #expect(model.view?.text == "Shop" && model.error == nil && !model.isLoading)
        var next = request
        next.path = "/cart"
        #expect(screens.state.value.prefetched == [next])
    }

    @Test func whoeverWantsNoPrefetchGetsNone() async {
        screens.serve("Shop", at: "/home", leadingTo: [.init("/cart", shouldPrefetch: true)])
        await ObservedScreen(screens, ViewRequest("/home"), prefetchesRoutes: false).run()
        #expect(screens.state.value.prefetched == [])
    }

    @Test func aFailureLeavesTheScreenThatIsThere() async {
        let model = ObservedScreen(screens, ViewRequest("/home"))
        await model.run()
        #expect(model.error?.code == .network && model.view == nil)
        screens.serve("Shop", at: "/home")
        #expect(await model.refresh())
        #expect(model.error == nil && model.view?.text == "Shop")
        screens.state.update { $0.screens = [:] }
        #expect(await !model.refresh())
        #expect(model.error?.code == .network && model.view?.text == "Shop")
        #expect(screens.state.value.fetched.map(\.revalidates) == [false, true, true])
    }

    @Test func anAnswerToAnOlderFetchIsNotShownAfterThatToANewerOne() async {
        screens.serve("old", at: "/home")
        let model = ObservedScreen(screens, ViewRequest("/home"))
        let gate = screens.holdNext()
        async let older: Void = model.run()
        await gate.arrivals(1)
        screens.serve("new", at: "/home")
        #expect(await model.refresh())
        #expect(model.view?.text == "new" && model.isLoading)
        gate.open()
        await older
        #expect(model.view?.text == "new" && !model.isLoading)
    }

    @Test func anAnswerToAnOlderFetchIsShownThoughANewerOneHasShownTheKeptScreen() async throws {
        let time = ManualTicker()
        let titles = Shared(["old", "new"])
        let transport = FakeTransport { _ in
            guard let title = titles.update({ $0.isEmpty ? nil : $0.removeFirst() }) else { return .text(status: .notFound) }
            return .text(#"{"_beagleComponent_":"beagle:button","text":"\#(title)"}"#, fields: [.cacheControl: "max-age=60", .eTag: "\"\(title)\""])
        }
        let client = client(transport, time)
        _ = try await client.fetch(ViewRequest("/home"))
        time.advance(by: .seconds(61))
        let model = ObservedScreen(client, ViewRequest("/home"))
        let older = transport.hold()
        async let run: Void = model.run()
        await older.arrivals(1)
        let newer = transport.hold()
        let refresh = Task { await model.refresh() }
        await older.arrivals(2)
        #expect(model.view?.text == "old")
        older.release()
        await run
        #expect(model.view?.text == "new" && model.view?.staleness == nil && model.error == nil)
        newer.release()
        #expect(await !refresh.value)
        #expect(model.view?.text == "new" && model.error?.statusCode == 404)
    }

    @Test func aTaskThatIsCancelledShowsNothingAnyMore() async {
        screens.serve("Shop", at: "/home")
        let model = ObservedScreen(screens, ViewRequest("/home"))
        let gate = screens.holdNext()
        let task = Task { await model.run() }
        await gate.arrivals(1)
        task.cancel()
        gate.open()
        await task.value
        #expect(model.view == nil && model.error == nil && !model.isLoading)
        let refresh = Task { await model.refresh() }
        refresh.cancel()
        #expect(await !refresh.value)
    }

    @Test func aScreenThatTheServerConfirmsIsStaleNoMore() async throws {
        let time = ManualTicker()
        let transport = FakeTransport { request in
            let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\""]
            if request.head.headerFields[.ifNoneMatch] != nil { return .text(status: .notModified, fields: fields) }
            return .text(#"{"_beagleComponent_":"beagle:button","text":"Shop"}"#, fields: fields)
        }
        let client = client(transport, time)
        _ = try await client.fetch(ViewRequest("/home"))
        time.advance(by: .seconds(61))
        let model = ObservedScreen(client, ViewRequest("/home"))
        let hold = transport.hold()
        async let run: Void = model.run()
        await hold.arrivals(1)
        #expect(model.view?.text == "Shop" && model.view?.staleness != nil)
        hold.release()
        await run
        #expect(model.view?.text == "Shop" && model.view?.staleness == nil)
        time.advance(by: .seconds(61))
        #expect(await model.refresh())
        #expect(transport.requests.count == 3)
    }

    @Test func whatIsKeptComesFirstAndThenWhatTheServerHas() async throws {
        let time = ManualTicker()
        let title = Shared("old")
        let transport = FakeTransport { _ in
            .text(
                #"{"_beagleComponent_":"beagle:button","text":"\#(title.value)"}"#,
                fields: [.cacheControl: "max-age=60", .eTag: "\"\(title.value)\""]
            )
        }
        let client = client(transport, time)
        _ = try await client.fetch(ViewRequest("/home"))
        time.advance(by: .seconds(61))
        title.update { $0 = "new" }
        let hold = transport.hold()
        let model = ObservedScreen(client, ViewRequest("/home"))
        async let run: Void = model.run()
        await hold.arrivals(1)
        #expect(model.view?.text == "old" && model.view?.staleness?.isStandIn == false && model.isLoading)
        hold.release()
        await run
        #expect(model.view?.text == "new" && model.view?.staleness == nil)
        #expect(transport.requests.count == 2)
    }
}
