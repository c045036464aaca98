// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HoardHTTP
package import HoardNIO

/// The parts and functions of a proxy that its admin server uses.
package struct AdminServices: Sendable {
    /// Whether requests can be served.
    package enum Readiness: Sendable, Hashable {
        case ready
        /// Says why not, in one sentence.
        case notReady(String)
    }

    /// A URI that the proxy serves.
    package struct Target: Sendable, Hashable {
        /// As the origin knows it.
        package var uri: String
        /// That of requests for it.
        package var policy: HTTPCachePolicy

        package init(uri: String, policy: HTTPCachePolicy = HTTPCachePolicy()) {
            self.uri = uri
            self.policy = policy
        }
    }

    /// The URLs that a text stands for.
    package enum Extent: Sendable, Hashable {
        case url
        /// All URLs that begin so.
        case prefix
    }

    package enum Resolution: Sendable, Hashable {
        /// At least one: different routes may have the same path.
        case targets([Target])
        /// It is a path, and the responses stored for it depend on the host that clients name.
        case hostIsMissing
        /// The proxy serves no such URL.
        case unknown
    }

    package var cache: HTTPCache
    /// Finds the URIs that an operator means by a path, a URL of the proxy, or one of the origin.
    package var resolve: @Sendable (String, Extent) -> Resolution
    /// The rules that a request for such a text meets, a line for each.
    package var explainRules: @Sendable (String) -> [String] = { _ in [] }
    /// The figures, as they stand now.
    package var statistics: @Sendable () async -> ProxyStatistics.Snapshot
    package var readiness: @Sendable () async -> Readiness
    /// Changes how many bytes memory and disk may hold; `nil`: as many as before.
    package var resize: @Sendable (_ memoryBytes: Int?, _ diskBytes: Int?) async throws(ProxyError) -> Void = { _, _ throws(ProxyError) in
        throw ProxyError(.invalidConfiguration, "Sizes cannot be changed here.")
    }
    /// Warms the cache; `nil`: it cannot be warmed here.
    var warming: ProxyWarming?
    /// The dashboard, for servers that do or do not let things be changed.
    package var page: @Sendable (_ allowsChanges: Bool) -> HTTPServerResponse

    /// - Parameter resolve: By default an absolute URI is put into the form that the cache has, and nothing else is one.
    package init(
        cache: HTTPCache,
        resolve: @escaping @Sendable (String, Extent) -> Resolution = { text, _ in
            TargetURI.normalized(text).map { .targets([Target(uri: $0)]) } ?? .unknown
        },
        statistics: @escaping @Sendable () async -> ProxyStatistics.Snapshot,
        readiness: @escaping @Sendable () async -> Readiness = { .ready },
        page: @escaping @Sendable (Bool) -> HTTPServerResponse
    ) {
        self.cache = cache
        self.resolve = resolve
        self.statistics = statistics
        self.readiness = readiness
        self.page = page
    }
}
