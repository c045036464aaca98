// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension HTTPCacheExplanation {
    /// Explains the answer that a request would get.
    ///
    /// - Parameters:
    ///   - request: A GET, with its target in normal form.
    ///   - uri: The target as the cache's key has it. `nil`: as the request has it.
    ///   - policy: The site owner's policy; `nil` for none.
    ///   - stored: The stored response that the request selects.
    ///   - isVaryMiss: Whether there are responses for the URI, but none that the request selects.
    ///   - variants: The responses for the URI that request fields tell apart.
    ///   - lastDecision: Why the last response for the URI was stored or not.
    package init(
        request: HTTPRequest,
        uri: String? = nil,
        policy: CompiledHTTPCachePolicy? = nil,
        stored: StoredResponse?,
        isVaryMiss: Bool,
        variants: Variants? = nil,
        lastDecision: HTTPDecision?,
        now: Date,
        rules: HTTPCacheRules
    ) {
        self.uri = uri ?? TargetURI(request)?.description ?? ""
        self.stored = stored.map { Stored($0, now: now) }
        self.variants = variants
        self.lastDecision = lastDecision.map { Reason($0) }
        var machine = HTTPCacheStateMachine(request: request, hasContent: false, rules: rules, policy: policy)
        switch machine.start() {
        case .respond(let answer):
            (outcome, reason) = (.answered, Reason(answer.decision))
        case .forward(let forward):
            (outcome, reason) = (.forwarded, Reason(forward.decision))
        case .lookUp:
            switch machine.lookedUp(stored, isVaryMiss: isVaryMiss, now: now) {
            case .respond(let answer):
                (outcome, reason) = (.answered, Reason(answer.decision))
            case .respondAndRefresh(let answer, _):
                (outcome, reason) = (.answeredAndRefreshed, Reason(answer.decision))
            case .forward(let forward):
                (outcome, reason) = (machine.outcomeOfForwarding, Reason(forward.decision))
            }
        }
    }
}

extension HTTPCacheStateMachine {
    fileprivate var outcomeOfForwarding: HTTPCacheExplanation.Outcome {
        guard case .forwarding(let exchange) = state else { return .forwarded }
        switch exchange.question {
        case .asClient: return .forwarded
        case .validation: return .validated
        case .completion: return .completed
        }
    }
}

extension HTTPCacheExplanation.Reason {
    package init(_ decision: HTTPDecision) {
        self.init(token: decision.token, section: decision.section, sentence: decision.sentence)
    }
}

extension HTTPCacheExplanation.Stored {
    fileprivate init(_ stored: StoredResponse, now: Date) {
        let freshness = stored.freshness
        status = stored.statusCode
        received = stored.responseTime
        age = Int64(freshness.age.seconds(at: now))
        lifetime = freshness.lifetime.seconds
        lifetimeSource = freshness.lifetime.source.name
        timeToLive = lifetime - age
        staleProhibition = freshness.staleProhibition.map { .init(token: $0.token, section: $0.section, sentence: $0.explanation) }
        entityTag = stored.validators.eTag.map { String(decoding: $0, as: UTF8.self) }
        lastModified = stored.validators.lastModified.map { String(decoding: $0, as: UTF8.self) }
        switch stored.vary {
        case .fields(let names): vary = names.map(\.rawName)
        case .any: vary = ["*"]
        }
        tags = stored.foreignTags
        groups = stored.groups
        storedBytes = stored.body.storedByteCount
        completeBytes = stored.body.completeLength
        isComplete = stored.isComplete
    }
}

extension FreshnessLifetime.Source {
    fileprivate var name: String {
        switch self {
        case .sMaxAge: "s-maxage"
        case .maxAge: "max-age"
        case .expires: "Expires"
        case .policy: "policy"
        case .heuristic: "heuristic"
        case .none: "none"
        }
    }
}
