// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The part of a cache's configuration that decides how messages are judged.
package struct HTTPCacheRules: Sendable, Hashable {
    /// Names the cache in `Cache-Status`.
    package var cacheName: String

    package var mode: CacheMode

    /// Longer bodies are not stored.
    package var maximumObjectBytes: Int

    /// The fields with directives for caches of this kind, the most specific first: [RFC 9213 §2.2](https://www.rfc-editor.org/rfc/rfc9213#section-2.2).
    package var targets: [HTTPField.Name]

    /// Whether the names of all targeted fields end in `-Control`, so that a reader that does not know them takes no
    /// other field for one of them.
    var hasPlainTargets: Bool { targets.allSatisfy { $0.canonicalName.hasSuffix("-control") } }

    /// For how many seconds a stale response may stand in for an origin that cannot be reached, where no directive says anything:
    /// [RFC 9111 §4.2.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.4). 0 for not at all.
    package var staleIfUnreachable: Int64

    /// The part of the time since the last modification that is guessed as lifetime: [RFC 9111 §4.2.2](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.2).
    package var heuristicFraction: Double

    /// The longest lifetime in seconds that is guessed.
    package var maximumHeuristicSeconds: Int64

    /// Whether content is compared with the digests that responses state: [RFC 9530](https://www.rfc-editor.org/rfc/rfc9530).
    package var checksDigests: Bool

    /// In which codings responses are served; `nil`: as they came.
    package var codings: CodingRules?

    package init(
        cacheName: String = "hoard",
        mode: CacheMode,
        maximumObjectBytes: Int = .max,
        targets: [HTTPField.Name] = [],
        staleIfUnreachable: Int64 = 0,
        heuristicFraction: Double = 0.1,
        maximumHeuristicSeconds: Int64 = 86_400,
        checksDigests: Bool = true,
        codings: CodingRules? = nil
    ) {
        self.cacheName = cacheName
        self.mode = mode
        self.maximumObjectBytes = maximumObjectBytes
        self.targets = targets
        self.staleIfUnreachable = staleIfUnreachable
        self.heuristicFraction = heuristicFraction
        self.maximumHeuristicSeconds = maximumHeuristicSeconds
        self.checksDigests = checksDigests
        self.codings = codings
    }
}
