// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a request is forwarded: as `Cache-Status` has it, and more exactly.
struct ForwardCause: Sendable {
    let reason: CacheStatus.ForwardReason
    var decision: HTTPDecision

    private init(_ reason: CacheStatus.ForwardReason, _ decision: HTTPDecision) {
        self.reason = reason
        self.decision = decision
    }

    static var method: Self { Self(.method, .method) }
    static var content: Self { Self(.bypass, .content) }
    static var requestNoStore: Self { Self(.bypass, .requestNoStore) }
    static var modeNoStore: Self { Self(.bypass, .modeNoStore) }
    static var policyBypass: Self { Self(.bypass, .policyBypass) }
    static var originCondition: Self { Self(.bypass, .originCondition) }
    static var uriMiss: Self { Self(.uriMiss, .uriMiss) }
    static var varyMiss: Self { Self(.varyMiss, .varyMiss) }
    static var modeReload: Self { Self(.request, .modeReload) }
    static var modeNoCache: Self { Self(.request, .modeNoCache) }
    static var stale: Self { Self(.stale, .stale) }
    static var incomplete: Self { Self(.partial, .incomplete) }

    /// The cause that keeps a stored response from being used as it is.
    static func mustRevalidate(_ reason: ReuseDecision.Reason) -> Self {
        Self(reason.isDemandedByRequest ? .request : .stale, HTTPDecision(reason))
    }
}
