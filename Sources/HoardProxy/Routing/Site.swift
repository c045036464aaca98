// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import Synchronization

/// Routes whose requests are counted and limited together.
final class Site: Sendable {
    /// The site's number in statistics; 0: its requests are not counted by themselves.
    let number: Int
    /// The most requests in progress; `nil`: any number.
    let maximumRequestCount: Int?
    private let requestCount: RequestCount

    /// The number of requests in progress.
    private final class RequestCount: Sendable {
        let value = Atomic(0)
    }

    /// - Parameter other: The same site before a reload. Its requests go on, and keep their places.
    init(number: Int, maximumRequestCount: Int?, inPlaceOf other: Site? = nil) {
        self.number = number
        self.maximumRequestCount = maximumRequestCount
        requestCount = other?.requestCount ?? RequestCount()
    }

    /// Takes a place for a request, if there is one. ``keepingPlace(of:)`` or ``leave()`` gives it back.
    func enter() -> Bool {
        guard let maximumRequestCount else { return true }
        if requestCount.value.add(1, ordering: .relaxed).newValue <= maximumRequestCount { return true }
        leave()
        return false
    }

    func leave() {
        if maximumRequestCount != nil { requestCount.value.subtract(1, ordering: .relaxed) }
    }

    /// A response whose request gives its place back at the end of the content.
    func keepingPlace(of response: HTTPServerResponse) -> HTTPServerResponse {
        guard maximumRequestCount != nil else { return response }
        var response = response
        response.body = CountedBody.counting(response.body) { _ in self.leave() }
        return response
    }

    /// The answer to a request for which there is no place.
    static var isFull: HTTPServerResponse {
        var response = ErrorPage.response(.serviceUnavailable, "Too many requests are in progress here. Try again soon.\n", cacheStatus: nil)
        response.head.headerFields[.retryAfter] = "1"
        return response
    }
}

extension RouteTable {
    /// The route that was configured for the same requests.
    func route(like route: CachingProxy.Configuration.Route) -> ProxyRoute? {
        routes.first { $0.configuration.hosts == route.hosts && $0.configuration.pathPrefix == route.pathPrefix }
    }

    /// The site that was configured with the same name or, without one, for the same requests.
    func site(like route: CachingProxy.Configuration.Route) -> Site? {
        if let name = route.site { return routes.first { $0.configuration.site == name }?.site }
        return self.route(like: route).flatMap { $0.configuration.site == nil ? $0.site : nil }
    }
}

/// The names of sites by their numbers in statistics. A name keeps its number as long as the proxy runs.
final class SiteNumbers: Sendable {
    /// More sites than that are not counted by themselves: so many numbers fit into an exchange's note.
    static let maximumCount = 1 << 14 - 1
    private let names = Mutex<[String]>([])

    /// The number of a site, from 1 on; 0 if there are too many.
    func number(of name: String) -> Int {
        names.withLock { names in
            if let index = names.firstIndex(of: name) { return index + 1 }
            guard names.count < Self.maximumCount else { return 0 }
            names.append(name)
            return names.count
        }
    }

    /// All names; that of number 1 first.
    var all: [String] { names.withLock { $0 } }
}
