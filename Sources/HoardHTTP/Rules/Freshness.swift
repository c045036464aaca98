// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The time for which a response may be reused after it was generated, and the source of this lifetime.
///
/// [RFC 9111 §4.2.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.1)
package struct FreshnessLifetime: Hashable, Sendable {
    /// The source of the lifetime.
    package enum Source: Hashable, Sendable {
        /// `s-maxage`, which only a shared cache reads.
        case sMaxAge
        case maxAge
        /// `Expires` minus `Date`.
        case expires
        /// The owner of the site, by a policy.
        case policy
        /// A guess from the age that the content had already.
        case heuristic
        /// Nothing: the response may be used only after validation.
        case none
    }

    /// The lifetime in seconds: 0 if the response was stale from the start, ``DeltaSeconds/maximum`` at most.
    package var seconds: Int64 { Int64(storedSeconds) }
    // 32 bits are enough, and every stored response has a lifetime.
    private let storedSeconds: UInt32
    package let source: Source

    package init(seconds: Int64, source: Source) {
        storedSeconds = UInt32(clamping: min(max(seconds, 0), DeltaSeconds.maximum))
        self.source = source
    }

    /// Whether the origin stated the lifetime, be it 0.
    package var isExplicit: Bool {
        switch source {
        case .sMaxAge, .maxAge, .expires: true
        case .policy, .heuristic, .none: false
        }
    }
}

extension FreshnessLifetime {
    /// The lifetime of a response.
    ///
    /// A tenth of the time since the last modification, but no more than a day (see ``HTTPCacheRules``), is the guess where nothing is explicit:
    /// [RFC 9111 §4.2.2](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.2). An `Expires` that is no date, such as `0`, and several that
    /// contradict each other, mean that the response has expired: [§5.3](https://www.rfc-editor.org/rfc/rfc9111#section-5.3).
    ///
    /// - Parameters:
    ///   - cacheControl: The directives in force for this cache: ``CacheControl/init(inForceFor:rules:)``.
    ///   - responseTime: When the response arrived; it stands in for a `Date` that is missing or invalid.
    package init(of response: HTTPResponse, cacheControl: CacheControl, rules: HTTPCacheRules, responseTime: Date) {
        let fields = response.headerFields
        if let seconds = cacheControl.policyLifetime {
            self.init(seconds: seconds, source: .policy)
        } else if rules.mode == .shared, let seconds = cacheControl.sharedMaxAge {
            self.init(seconds: seconds, source: .sMaxAge)
        } else if let seconds = cacheControl.maxAge {
            self.init(seconds: seconds, source: .maxAge)
        } else if !cacheControl.isTargeted, fields.contains(.expires) {
            let expires = fields.date(of: .expires, now: responseTime)
            let generated = fields.date(of: .date, now: responseTime) ?? HTTPDate(responseTime)
            self.init(seconds: expires.map { $0.secondsSince1970 - generated.secondsSince1970 } ?? 0, source: .expires)
        } else if let seconds = cacheControl.policyDefaultLifetime {
            self.init(seconds: seconds, source: .policy)
        } else if response.status.isHeuristicallyCacheable || cacheControl.isPublic,
            // A cookie is for one user. Others get it only if the origin has said anything to that effect.
            rules.mode == .private || cacheControl.isPublic || !fields.contains(.setCookie),
            let lastModified = fields.date(of: .lastModified, now: responseTime)
        {
            let generated = fields.date(of: .date, now: responseTime) ?? HTTPDate(responseTime)
            let unchanged = Double(max(0, generated.secondsSince1970 - lastModified.secondsSince1970))
            let guess = min((unchanged * rules.heuristicFraction).rounded(.down), Double(rules.maximumHeuristicSeconds))
            self.init(seconds: guess > 0 ? Int64(min(guess, Double(DeltaSeconds.maximum))) : 0, source: .heuristic)
        } else {
            self.init(seconds: 0, source: .none)
        }
    }
}

extension HTTPResponse.Status {
    /// Whether a lifetime may be guessed without the origin's word.
    ///
    /// [RFC 9110 §15.1](https://www.rfc-editor.org/rfc/rfc9110#section-15.1)
    package var isHeuristicallyCacheable: Bool {
        switch code {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}
