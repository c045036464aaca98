// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The facts about a stored response that decide on its reuse at any later time.
///
/// Compute it once, when the response arrives or is read back, and keep it beside the response: deciding then reads no fields of the response at all.
package struct ResponseFreshness: Hashable, Sendable {
    /// The directives in force for the response in this cache.
    package var cacheControl: CacheControl { directives.value }

    /// Most responses have the same few directives, which take more memory than all else that is known of a response.
    private let directives: SharedCacheControl
    package let age: ResponseAge
    package let lifetime: FreshnessLifetime
    package let mode: CacheMode

    /// - Parameters:
    ///   - response: As it was received, or as it was stored.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the response arrived.
    package init(of response: HTTPResponse, requestTime: Date, responseTime: Date, rules: HTTPCacheRules) {
        let cacheControl = CacheControl(inForceFor: response.headerFields, rules: rules)
        self.directives = SharedCacheControl.of(cacheControl)
        self.lifetime = FreshnessLifetime(of: response, cacheControl: cacheControl, rules: rules, responseTime: responseTime)
        self.age = ResponseAge(of: response, requestTime: requestTime, responseTime: responseTime)
        self.mode = rules.mode
    }

    private init(_ other: Self, lifetime: FreshnessLifetime) {
        self.directives = other.directives
        self.lifetime = lifetime
        self.age = other.age
        self.mode = other.mode
    }

    /// The same for a response that counts as stale from `date` on, however long its lifetime is.
    package func stale(from date: Date) -> Self {
        let age = Int64(age.seconds(at: date))
        return Self(self, lifetime: FreshnessLifetime(seconds: min(lifetime.seconds, age), source: lifetime.source))
    }

    /// The number of seconds that the response will stay fresh; negative if it is stale.
    package func timeToLive(at now: Date) -> TimeInterval {
        TimeInterval(lifetime.seconds) - age.seconds(at: now)
    }

    /// The directive that forbids serving the response once it is stale, if there is one.
    ///
    /// [RFC 9111 §4.2.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.4)
    package var staleProhibition: StaleProhibition? {
        if cacheControl.noCache == .wholeResponse { return .noCache }
        if cacheControl.mustRevalidate { return .mustRevalidate }
        guard mode == .shared else { return nil }
        if cacheControl.proxyRevalidate { return .proxyRevalidate }
        return cacheControl.sharedMaxAge == nil ? nil : .sharedMaxAge
    }
}
