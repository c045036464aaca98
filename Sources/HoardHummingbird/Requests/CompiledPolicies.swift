// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import Synchronization

/// Remembers policies in the form in which they are applied, as there are few of them for many requests.
final class CompiledPolicies: Sendable {
    /// The most that are remembered. A site that makes a policy for each request has them compiled each time.
    static let maximumCount = 64

    private let known = Mutex<[HTTPCachePolicy: CompiledHTTPCachePolicy]>([:])

    /// - Returns: `nil` for the policy that asks for nothing.
    func compiled(_ policy: HTTPCachePolicy) -> CompiledHTTPCachePolicy? {
        if policy == HTTPCachePolicy() { return nil }
        if let compiled = known.withLock({ $0[policy] }) { return compiled }
        let compiled = CompiledHTTPCachePolicy(policy)
        known.withLock { known in
            if known.count < Self.maximumCount { known[policy] = compiled }
        }
        return compiled
    }
}
