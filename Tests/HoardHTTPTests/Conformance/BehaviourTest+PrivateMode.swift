// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension BehaviourTest {
    /// The test as it applies to a private cache, which does not heed rules for shared caches alone.
    var forPrivateCache: BehaviourTest {
        guard let expected = Self.expectedOfPrivateCaches[id], let last = steps.indices.last else { return self }
        var test = self
        test.kind = expected == "cached" ? .optimal : .required
        test.steps[last].members["expected_type"] = .text(expected)
        for member in ["expected_status", "expected_response_headers_missing", "check_body"] { test.steps[last].members[member] = nil }
        return test
    }

    /// The answer of a private cache to a test's last request, where a shared cache answers differently.
    private static let expectedOfPrivateCaches: [String: String] = [
        // s-maxage is for shared caches: RFC 9111 §5.2.2.10.
        "freshness-s-maxage-shared": "not_cached",
        "freshness-max-age-s-maxage-shared-longer-reversed": "cached",
        "freshness-max-age-s-maxage-shared-longer-multiple": "cached",
        "freshness-s-maxage-shorter": "cached",
        "freshness-s-maxage-longer": "not_cached",
        "freshness-s-maxage-longer-expires": "not_cached",
        "stale-close-s-maxage=2": "cached",
        // A private response may be stored by the cache of its one user: RFC 9111 §5.2.2.7.
        "cc-resp-private-shared": "cached",
        // It binds shared caches only: RFC 9111 §5.2.2.8.
        "stale-close-proxy-revalidate": "cached",
        // A private cache keeps authorized responses apart, whatever their directives say: docs/decisions.md §7.
        "other-authorization-public": "not_cached",
        "other-authorization-must-revalidate": "not_cached",
        "authorization-s-maxage": "not_cached",
        // A private cache is not the target of this field, so that Cache-Control and Expires count: RFC 9213 §2.1.
        "cdn-max-age": "not_cached",
        "cdn-max-age-max": "not_cached",
        "cdn-max-age-extension": "not_cached",
        "cdn-max-age-expires": "not_cached",
        "cdn-max-age-0-expires": "cached",
        "cdn-max-age-short-cc-max-age": "not_cached",
        "cdn-private": "cached",
        "cdn-no-cache": "cached",
        "cdn-no-store-cc-fresh": "cached",
        "cdn-fresh-cc-nostore": "not_cached",
        "cdn-no-max-age-over-cache-control": "cached",
        "cdn-parameter": "not_cached",
        "cdn-no-store-over-max-age": "cached",
        "cdn-hides-expires": "cached",
    ]
}
