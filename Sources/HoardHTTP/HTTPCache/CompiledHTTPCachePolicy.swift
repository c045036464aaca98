// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// An ``HTTPCachePolicy`` in the form in which it is applied, made once for many requests.
package final class CompiledHTTPCachePolicy: Sendable {
    package let policy: HTTPCachePolicy

    /// Whether all parameters of the query are ignored.
    private let ignoresAllParameters: Bool
    /// Names of parameters, as bytes.
    private let ignoredParameters: Set<[UInt8]>
    /// Beginnings of names of parameters, as bytes.
    private let ignoredBeginnings: [[UInt8]]
    /// The value that is added to responses for which the policy's lifetime is meant.
    private let fieldWithLifetime: String
    /// The value that is added to all others.
    private let fieldWithoutLifetime: String

    /// - Returns: `nil` if the policy asks for nothing.
    package init?(_ policy: HTTPCachePolicy) {
        if policy == HTTPCachePolicy() { return nil }
        self.policy = policy
        ignoresAllParameters = policy.ignoredQueryParameters.contains("*")
        ignoredParameters = Set(policy.ignoredQueryParameters.filter { !$0.hasSuffix("*") }.map { Array($0.utf8) })
        ignoredBeginnings = policy.ignoredQueryParameters.filter { $0.hasSuffix("*") }.map { Array($0.utf8.dropLast()) }
        var field = PolicyField()
        field.staleWhileRevalidate = policy.staleWhileRevalidate?.wholeSeconds
        field.staleIfError = policy.staleIfError?.wholeSeconds
        field.keyFields = Set(policy.keyFields.map(\.canonicalName)).sorted()
        field.tags = policy.tags
        fieldWithoutLifetime = field.value
        switch policy.lifetime?.base {
        case .always(let duration): field.lifetime = duration.wholeSeconds
        case .ifUnspecified(let duration): field.defaultLifetime = duration.wholeSeconds
        case nil: break
        }
        fieldWithLifetime = field.value
    }

    package var isBypassed: Bool { policy.isBypassed }

    /// Whether keys are those of the URIs.
    package var keepsQuery: Bool { policy.ignoredQueryParameters.isEmpty }

    // MARK: Keys

    /// The query without the ignored parameters; `nil` if nothing is left of it. The rest keeps its spelling.
    /// Complexity: O(*n*).
    package func keyQuery(_ query: String?) -> String? {
        guard let query, !ignoresAllParameters else { return nil }
        if keepsQuery || query.isEmpty { return query }
        let parts = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let kept = parts.filter { !ignores(part: $0) }
        if kept.count == parts.count { return query }
        if kept.isEmpty { return nil }
        return kept.map { String($0) ?? "" }.joined(separator: "&")
    }

    /// A normal URI without the ignored parameters of its query.
    package func keyURI(_ uri: String) -> String {
        guard !keepsQuery, let mark = uri.utf8.firstIndex(of: .questionMark) else { return uri }
        let query = keyQuery(String(uri[uri.utf8.index(after: mark)...]))
        return uri[..<mark] + (query.map { "?\($0)" } ?? "")
    }

    /// Whether a part of the query is ignored. Some origins read a semicolon as they read an ampersand, so each parameter between semicolons has to be one
    /// that is ignored: `utm_source=x;id=2` is about another resource than `utm_source=x`.
    private func ignores(part: Substring.UTF8View) -> Bool {
        part.split(separator: .semicolon, omittingEmptySubsequences: false).allSatisfy { parameter in
            ignores(FormURLEncoded.decoded(parameter.prefix { $0 != .equalsSign }))
        }
    }

    private func ignores(_ name: [UInt8]) -> Bool {
        ignoredParameters.contains(name) || ignoredBeginnings.contains { name.starts(with: $0) }
    }

    // MARK: Responses

    /// Returns the value of ``PolicyField`` that the policy adds to a response; empty for none.
    ///
    /// The lifetime is meant for responses that may be stored without explicit permission ([RFC 9110
    /// §15.1](https://www.rfc-editor.org/rfc/rfc9110#section-15.1)), not for errors such as 500. In a shared cache it does not apply to a response
    /// with `Set-Cookie`, as a cookie is for one user.
    func fieldValue(status: HTTPResponse.Status, hasCookie: Bool, mode: CacheMode) -> String {
        status.isHeuristicallyCacheable && !(hasCookie && mode == .shared) ? fieldWithLifetime : fieldWithoutLifetime
    }
}

extension Duration {
    /// The whole seconds, without the fraction, from 0 to ``DeltaSeconds/maximum``.
    fileprivate var wholeSeconds: Int64 { min(max(0, components.seconds), DeltaSeconds.maximum) }
}
