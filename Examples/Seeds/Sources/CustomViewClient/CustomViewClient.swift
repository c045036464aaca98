// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import HoardTestingServer
import HoardTransports
import HoardViews

/// Fetches and prefetches screens: with a client of the app's own, and with Hoard's.
///
/// The differences from the tutorial, and their reasons:
///
/// - A request is a value, an answer is a component with its origin, and both exist as `async` functions. The
///   forms with completion handlers say where they call the handler.
/// - A prefetch asks the cache first, is joined by a fetch of the same screen, and can be cancelled: it returns a token as a fetch does.
/// - Screens are kept for as long as the server says, then confirmed by their hash. So the cache need not be written first.
@main
struct Program {
    static func main() async throws {
        let (time, gate) = (ManualTicker(), Gate())
        let server = Server(gate: gate)
        let origin = try await FakeOrigin.start { request, _ in await server.answer(request) }
        let transport = NIOTransport()
        let builder = URLBuilder(baseURL: URL(string: origin.url))

        try await custom(builder, transport, origin, time)
        try await ready(builder, transport, origin, time, gate)

        await transport.shutdown()
        await origin.stop()
    }

    // MARK: A client of one's own

    static func custom(_ builder: URLBuilder, _ transport: NIOTransport, _ origin: FakeOrigin, _ time: ManualTicker) async throws {
        print("A client of one's own")
        let network = NetworkManager(client: CachingClient(transport: transport))
        let client = ViewClientCustom(networkClient: network, urlBuilder: builder, coder: ComponentCoder(), ticker: time)
        try await client.prefetch("/home")
        for _ in 1...2 { print("  fetch: \(try await client.fetch("/home").component.title)") }
        print("  requests: \(origin.count("/home"))")
        print("  another host: \(await failure { () async throws(ViewError) in try await client.fetch("http://example.com/") })")
        let unconfigured = ViewClientCustom(networkClient: nil, urlBuilder: builder, coder: ComponentCoder(), ticker: time)
        print("  no network client: \(await failure { () async throws(ViewError) in try await unconfigured.fetch("/home") })")
    }

    // MARK: Hoard's client

    static func ready(_ builder: URLBuilder, _ transport: NIOTransport, _ origin: FakeOrigin, _ time: ManualTicker, _ gate: Gate) async throws {
        let client = ViewClient(
            dependencies: .init(
                urlBuilder: builder,
                client: CachingClient(
                    transport: transport,
                    cache: HTTPCache(clock: time, ticker: time)
                ),
                coder: ComponentCoder(),
                cache: CacheManager(store: nil, clock: time)
            ),
            clock: time,
            ticker: time
        )

        print("\nHoard's client: the tutorial's form")
        let title = try await withCheckedThrowingContinuation { continuation in
            client.fetch(url: "/menu", completingOn: .main) { result in
                continuation.resume(with: result.map(\.title))
            }
        }
        print("  fetch: \(title)")

        print("\nThe same with async")
        let again = try await client.fetch("/menu")
        print("  again: \(again.component.title), from \(again.source), requests: \(origin.count("/menu"))")
        time.advance(by: .seconds(60))
        let renewed = try await client.fetch("/menu")
        print("  a minute later: \(renewed.component.title), \(renewed.source), requests: \(origin.count("/menu"))")

        print("\nPrefetching")
        let prefetch = try await client.prefetch("/offers")
        print("  prefetch: \(prefetch.outcome), use: \(prefetch.use)")
        let offers = try await client.fetch("/offers")
        print("  fetch: \(offers.component.title), from \(offers.source), requests: \(origin.count("/offers")), use: \(prefetch.use)")
        print("  once more: \(try await client.prefetch("/offers").outcome), requests: \(origin.count("/offers"))")
        let routes = offers.component.routes.map(\.url)
        let report = await client.prefetch(routes.map { ViewRequest($0) })
        print("  where its buttons lead: \(routes.joined(separator: ", ")); prefetched: \(report.fetchedCount)")

        print("\nCancelling")
        let cancelled = await withCheckedContinuation { continuation in
            let token = client.fetch(url: "/slow", completingOn: .anywhere) { result in continuation.resume(returning: result) }
            token.cancel()
        }
        if case .failure(let error) = cancelled { print("  \(error.code)") }
        let ahead = client.prefetch(url: "/slow")
        ahead.cancel()
        gate.open()

        print("\nErrors")
        print("  another host: \(await failure { () async throws(ViewError) in try await client.fetch("http://example.com/") })")
        print("  no such screen: \(await failure { () async throws(ViewError) in try await client.fetch("/missing") })")
        print("  no component: \(await failure { () async throws(ViewError) in try await client.fetch("/broken") })")
    }

    static func failure(_ fetch: () async throws(ViewError) -> FetchedView) async -> String {
        do throws(ViewError) {
            return "no failure: \(try await fetch().component.title)"
        } catch {
            let status = error.statusCode.map { ", status \($0)" } ?? ""
            let place = error.codingError.map { ", at \($0.path)" } ?? ""
            return "\(error.code)\(status)\(place)"
        }
    }
}

/// The server on loopback.
struct Server {
    let gate: Gate

    func answer(_ request: HTTPRequest) async -> FakeOrigin.Response {
        switch request.path {
        case "/home": return screen("Home", hash: nil)
        case "/menu":
            // The screen has not changed since: a status is enough.
            guard request.headerFields[.beagleHash] != "menu-1" else {
                return .init(status: .notModified, fields: [.cacheControl: "max-age=60", .beagleHash: "menu-1"])
            }
            return screen("Menu", hash: "menu-1")
        case "/offers": return screen("Offers", hash: "offers-1", leadingTo: ["/offers/1", "/offers/2"])
        case "/offers/1", "/offers/2": return screen("Offer", hash: nil)
        case "/slow":
            await gate.pass()
            return screen("Slow", hash: nil)
        case "/broken": return .init(#"{"_beagleComponent_": "beagle:container", "children": [{"_beagleComponent_": "beagle:text"}]}"#)
        default: return .init("There is no such screen.", status: .notFound)
        }
    }

    private func screen(_ title: String, hash: String?, leadingTo paths: [String] = []) -> FakeOrigin.Response {
        let buttons = paths.map { path in
            #", {"_beagleComponent_": "beagle:button", "text": "Open", "onPress": [{"_beagleAction_": "beagle:pushView", "#
                + #""route": {"url": "\#(path)", "shouldPrefetch": true}}]}"#
        }
        let text = #"{"_beagleComponent_": "beagle:text", "text": "\#(title)"}"#
        var fields: HTTPFields = [.cacheControl: "max-age=60", .contentType: "application/json"]
        fields[.beagleHash] = hash
        return .init(#"{"_beagleComponent_": "beagle:container", "children": [\#(text)\#(buttons.joined())]}"#, fields: fields)
    }
}

extension HTTPField.Name {
    static var beagleHash: Self {
        guard let name = Self("beagle-hash") else { preconditionFailure("This is a field name.") }
        return name
    }
}

extension FakeOrigin {
    func count(_ path: String) -> Int { requests.count { $0.path == path } }
}

extension ServerDrivenComponent {
    /// The first text on a screen.
    var title: String {
        if let text = self as? TextComponent { return text.text }
        return subcomponents.lazy.map(\.title).first { !$0.isEmpty } ?? ""
    }
}
