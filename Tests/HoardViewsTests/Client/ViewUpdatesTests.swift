// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import Testing

@testable import HoardViews

@Suite(.timeLimit(.minutes(5))) struct ViewUpdatesTests {
    /// The views of a sequence, and the error that ends it.
    private func collect(_ updates: ViewUpdates) async -> (views: [FetchedView], error: ViewError?) {
        var views: [FetchedView] = []
        do throws(ViewError) {
            for try await view in updates { views.append(view) }
            return (views, nil)
        } catch {
            return (views, error)
        }
    }

    @Test func nothingKeptMeansOneScreenFromTheServer() async {
        let harness = ViewHarness()
        let (views, error) = await collect(harness.client.fetchUpdates("/home"))
        #expect(views.map(\.source) == [.network])
        #expect(error == nil)
        #expect(harness.requestCount == 1)
    }

    @Test(arguments: ["hash", nil])
    func validScreenIsTheOnlyOneAndNothingIsSent(hash: String?) async throws {
        let harness = ViewHarness()
        harness.origin["/home"] = .init(title: "a", hash: hash)
        _ = try await harness.client.fetch("/home")
        let (views, error) = await collect(harness.client.fetchUpdates("/home"))
        #expect(views.map(\.title) == ["a"])
        #expect(views.first?.staleness == nil)
        #expect(error == nil)
        #expect(harness.requestCount == 1)
    }

    @Test(arguments: ["hash", nil])
    func staleScreenComesFirstAndIsFollowedByTheNewOne(hash: String?) async throws {
        let harness = ViewHarness()
        harness.origin["/home"] = .init(title: "old", hash: hash)
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(70))
        harness.origin["/home"] = .init(title: "new", hash: hash.map { $0 + "2" })
        let (views, error) = await collect(harness.client.fetchUpdates("/home"))
        #expect(views.map(\.title) == ["old", "new"])
        #expect(views.first?.staleness?.isStandIn == false)
        #expect(views.first?.staleness?.age == .seconds(70))
        #expect(views.last?.staleness == nil)
        #expect(views.last?.source == .network)
        #expect(error == nil)
        #expect(harness.requestCount == 2)
        #expect(harness.coder.decodeCount == 2)
    }

    @Test func staleScreenThatTheServerConfirmsIsTheOnlyOne() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        let (views, error) = await collect(harness.client.fetchUpdates("/home"))
        #expect(views.map(\.title) == ["/home"])
        #expect(error == nil)
        #expect(harness.requestCount == 2)
        #expect(harness.coder.decodeCount == 1)
        #expect(try await harness.client.fetch("/home").source == .memory)
    }

    @Test func staleScreenComesAgainAsAStandInIfTheServerIsAway() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        harness.origin.fail(with: TransportError(.cannotConnect, "No route."))
        let (views, error) = await collect(harness.client.fetchUpdates("/home"))
        #expect(views.map { $0.staleness?.isStandIn } == [false, true])
        #expect(error == nil)
    }

    @Test func errorComesAfterTheStaleScreen() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        harness.origin["/home"] = .init(title: "", status: .notFound)
        let (views, error) = await collect(harness.client.fetchUpdates("/home"))
        #expect(views.map(\.title) == ["/home"])
        #expect(error?.statusCode == 404)
    }

    @Test func staleScreenThatMustBeConfirmedIsNotShown() async throws {
        let harness = ViewHarness()
        for (path, hash) in [("/a", "1" as String?), ("/b", nil)] {
            harness.origin[path] = .init(title: "old", hash: hash, fields: [.cacheControl: "max-age=60, must-revalidate"])
            _ = try await harness.client.fetch(ViewRequest(path))
            harness.origin[path] = .init(title: "new", hash: hash.map { $0 + "2" })
        }
        harness.time.advance(by: .seconds(60))
        for path in ["/a", "/b"] {
            #expect(await collect(harness.client.fetchUpdates(ViewRequest(path))).views.map(\.title) == ["new"])
        }
    }

    @Test func revalidatingRequestAsksAfterAValidScreen() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        let request = ViewRequest("/home", revalidates: true)
        #expect(await collect(harness.client.fetchUpdates(request)).views.map(\.title) == ["/home"])
        harness.origin["/home"] = .init(title: "new", hash: "2")
        #expect(await collect(harness.client.fetchUpdates(request)).views.map(\.title) == ["/home", "new"])
        #expect(harness.requestCount == 3)
    }

    @Test func whoStopsReadingSendsNothing() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        for try await view in harness.client.fetchUpdates("/home") {
            #expect(view.staleness != nil)
            break
        }
        #expect(harness.requestCount == 1)
        #expect(harness.client.statistics.currentLoads == 0)
    }

    @Test func screenOfAPrefetchIsTheOnlyOne() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].fields = [.cacheControl: "no-store"]
        let prefetch = try await harness.client.prefetch("/home")
        #expect(await collect(harness.client.fetchUpdates("/home")).views.map(\.source) == [.prefetched])
        #expect(prefetch.use == .used)
    }

    @Test func pathWithoutURLIsAnError() async {
        let (views, error) = await collect(ViewHarness().client.fetchUpdates("ftp://example.com/"))
        #expect(views.isEmpty)
        #expect(error?.code == .urlBuilder)
    }

    @Test func cancelledReaderGetsTheError() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        let hold = harness.transport.hold()
        let task = Task { await collect(harness.client.fetchUpdates("/home")) }
        await hold.arrivals(1)
        task.cancel()
        let (views, error) = await task.value
        #expect(views.count == 1)
        #expect(error?.code == .cancelled)
        hold.release()
    }

    @Test func keptScreenThatCannotBeDecodedIsPassedOver() async throws {
        let harness = ViewHarness()
        let identifier = try harness.client.plan(for: "/home").key.identifier
        await harness.cache?.addToCache(
            .init(identifier: identifier, data: .init("{}".utf8), hash: "1", maxAge: 0, timeOfCreation: harness.time.now())
        )
        #expect(await collect(harness.client.fetchUpdates("/home")).views.map(\.title) == ["/home"])
    }
}
