// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting

/// The mistakes that a network with a cache may make. Each check returns the one that it found.
enum NetworkChecks {
    /// Two texts for two requests that differ in one part, from an origin whose answers repeat their request.
    private static func replies(
        _ make: MakeNetwork,
        to first: NetworkRequest,
        and second: NetworkRequest,
        fields: HTTPFields,
        echoing name: HTTPField.Name
    ) async -> (first: String, second: String) {
        let transport = FakeTransport { request in .text("for \(request.head.headerFields[name] ?? "nobody")", fields: fields) }
        let network = make(transport, ManualTicker())
        return (await network.text(first), await network.text(second))
    }

    /// How often the origin is asked if a request is made twice.
    private static func requestCount(_ make: MakeNetwork, _ path: String, fields: HTTPFields, after pause: Duration = .zero) async -> Int {
        let (transport, time) = (FakeTransport { _ in .text("content", fields: fields) }, ManualTicker())
        let network = make(transport, time)
        _ = await network.text(.get(path))
        time.advance(by: pause)
        _ = await network.text(.get(path))
        return transport.requests.count
    }

    static func postIsSent(_ make: MakeNetwork) async throws -> String? {
        let transport = FakeTransport { request in .text(request.head.method == .post ? "made" : "old", fields: [.cacheControl: "max-age=60"]) }
        let network = make(transport, ManualTicker())
        _ = await network.text(.get("/orders"))
        let reply = await network.text(NetworkRequest(.post, "http://example.com/orders", body: Data("order".utf8)))
        guard transport.requests.last?.head.method == .post else { return "a POST was not sent, and answered with: \(reply)" }
        return reply == "made" ? nil : "a POST was answered with: \(reply)"
    }

    static func tokensAreKeptApart(_ make: MakeNetwork) async throws -> String? {
        let replies = await replies(
            make,
            to: .get("/me", token: "anna"),
            and: .get("/me", token: "bruno"),
            fields: [.cacheControl: "max-age=60"],
            echoing: .authorization
        )
        return replies == ("for Bearer anna", "for Bearer bruno") ? nil : "the second user gets what is \(replies.second)"
    }

    static func languagesAreKeptApart(_ make: MakeNetwork) async throws -> String? {
        let replies = await replies(
            make,
            to: .get("/", [.acceptLanguage: "en"]),
            and: .get("/", [.acceptLanguage: "pt"]),
            fields: [.cacheControl: "max-age=60", .vary: "Accept-Language"],
            echoing: .acceptLanguage
        )
        return replies == ("for en", "for pt") ? nil : "the second user gets what is \(replies.second)"
    }

    static func varyIsObeyed(_ make: MakeNetwork) async throws -> String? {
        let replies = await replies(
            make,
            to: .get("/", [.accept: "text/html"]),
            and: .get("/", [.accept: "application/json"]),
            fields: [.cacheControl: "max-age=60", .vary: "accept-encoding, Accept"],
            echoing: .accept
        )
        return replies == ("for text/html", "for application/json") ? nil : "the second request gets what is \(replies.second)"
    }

    static func noStoreIsObeyed(_ make: MakeNetwork) async throws -> String? {
        await requestCount(make, "/balance", fields: [.cacheControl: "no-store, max-age=60"]) == 2 ? nil : "what must not be stored is used again"
    }

    static func privateIsObeyed(_ make: MakeNetwork) async throws -> String? {
        await requestCount(make, "/cart", fields: [.cacheControl: "private, max-age=60"]) == 2 ? nil : "what is one user's is used again for all"
    }

    static func maxAgeIsObeyed(_ make: MakeNetwork) async throws -> String? {
        let fields: HTTPFields = [.cacheControl: "max-age=60"]
        guard await requestCount(make, "/news", fields: fields, after: .seconds(59)) == 1 else { return "what is fresh is asked for again" }
        return await requestCount(make, "/news", fields: fields, after: .seconds(60)) == 2 ? nil : "what is a minute old is used as if it were fresh"
    }

    static func callsCompleteOnce(_ make: MakeNetwork) async throws -> String? {
        let transport = FakeTransport { _ in .text("content") }
        let network = make(transport, ManualTicker())
        let count = await calls { network.post(.nan, to: "http://example.com/", completion: $0) }.count
        guard count == 1 else { return "a request that cannot be written completes \(count) times" }

        let hold = transport.hold()
        let answers = Calls<Bool>()
        let cancellation = Calls<@Sendable () -> Void>()
        async let all: [Bool] = calls { handler in
            let cancel = network.send(.get("/slow")) { result in
                answers.add((try? result.get()) != nil)
                handler((try? result.get()) != nil)
            }
            cancellation.add(cancel)
        }
        await hold.arrivals(1)
        for cancel in cancellation.takeAll() { cancel() }
        guard answers.values == [false] else { return "a request that is cancelled does not complete at once" }
        hold.release()
        let results = await all
        return results == [false] ? nil : "a request that is cancelled completes \(results.count) times"
    }

    static func otherStatusesAreErrors(_ make: MakeNetwork) async throws -> String? {
        for status in [HTTPResponse.Status.internalServerError, .notFound, .unauthorized, .notModified] {
            let network = make(FakeTransport { _ in .text("an excuse", status: status) }, ManualTicker())
            guard case .failure(let error) = await calls({ network.send(.get("/"), completion: $0) }).first else {
                return "the status \(status.code) is delivered as success"
            }
            // The server's answer is not lost with it.
            guard let response = (error as? NetworkError)?.response, response.status == status, response.body == Data("an excuse".utf8) else {
                return "the status \(status.code) comes without its response"
            }
        }
        return nil
    }

    static func methodsAreKeptApart(_ make: MakeNetwork) async throws -> String? {
        let transport = FakeTransport { request in .text(request.head.method == .head ? "" : "content", fields: [.cacheControl: "max-age=60"]) }
        let network = make(transport, ManualTicker())
        _ = await network.text(NetworkRequest(.head, "http://example.com/"))
        let reply = await network.text(.get("/"))
        return reply == "content" ? nil : "a GET gets the empty answer to a HEAD"
    }

    static func fieldsAreKeptApart(_ make: MakeNetwork) async throws -> String? {
        let replies = await replies(
            make,
            to: .get("/", [.cookie: "session=anna"]),
            and: .get("/", [.cookie: "session=bruno"]),
            fields: [.cacheControl: "max-age=60", .vary: "Cookie"],
            echoing: .cookie
        )
        return replies == ("for session=anna", "for session=bruno") ? nil : "requests that differ in a field get one answer: \(replies.second)"
    }
}
