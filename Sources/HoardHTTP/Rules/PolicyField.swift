// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import RawStructuredFieldValues

/// The additions of a site owner's ``HTTPCachePolicy`` to a response, stored with the response in a field of this cache's own.
///
/// It works like a targeted field ([RFC 9213](https://www.rfc-editor.org/rfc/rfc9213)) that the cache writes itself. It
/// never leaves the cache, and the cache drops a field that an origin sends under this name.
package struct PolicyField: Hashable, Sendable {
    /// Freshness that hides `Cache-Control` and `Expires`, in seconds.
    package var lifetime: Int64?
    /// Freshness in place of a heuristic, in seconds.
    package var defaultLifetime: Int64?
    /// In seconds.
    package var staleWhileRevalidate: Int64?
    /// In seconds.
    package var staleIfError: Int64?
    /// The names of fields that select the response as if they were in `Vary`, in small letters.
    package var keyFields: [String] = []
    package var tags: Set<String> = []

    package init() {}

    /// Reads the cache's additions to a response; `nil` if there are none.
    package init?(_ responseFields: HTTPFields) {
        // No stranger writes it, so the limits of strangers' fields are not meant for it.
        guard let value = responseFields[.hoardPolicy] else { return nil }
        var parser = StructuredFieldValueParser(Array(value.utf8))
        guard let members = try? parser.parseDictionaryFieldValue() else { return nil }
        lifetime = members["max-age"]?.seconds
        defaultLifetime = members["default"]?.seconds
        staleWhileRevalidate = members["stale-while-revalidate"]?.seconds
        staleIfError = members["stale-if-error"]?.seconds
        keyFields = members["vary"]?.strings ?? []
        tags = Set((members["tags"]?.strings ?? []).map { String(decoding: FormURLEncoded.decoded(Array($0.utf8)), as: UTF8.self) })
    }

    /// The value of the field; empty if there is nothing to say.
    package var value: String {
        var members: [String] = []
        for (name, seconds) in [
            ("max-age", lifetime), ("default", defaultLifetime), ("stale-while-revalidate", staleWhileRevalidate), ("stale-if-error", staleIfError),
        ] {
            if let seconds { members.append("\(name)=\(min(max(0, seconds), DeltaSeconds.maximum))") }
        }
        if !keyFields.isEmpty { members.append("vary=" + Self.list(keyFields)) }
        if !tags.isEmpty { members.append("tags=" + Self.list(tags.sorted().map { FormURLEncoded.encoded(Array($0.utf8)) })) }
        return members.joined(separator: ", ")
    }

    private static func list(_ strings: [String]) -> String {
        "(" + strings.map { "\"\($0)\"" }.joined(separator: " ") + ")"
    }
}

extension ItemOrInnerList {
    fileprivate var seconds: Int64? {
        guard case .integer(let number) = bareItem, number >= 0 else { return nil }
        return min(number, DeltaSeconds.maximum)
    }
}

extension CacheControl {
    /// The directives in force under a policy.
    ///
    /// - Parameter ownDirectives: The response's own directives.
    init(_ policy: PolicyField, ownDirectives: @autoclosure () -> CacheControl) {
        if policy.lifetime != nil {
            self.init()
            isTargeted = true
        } else {
            self = ownDirectives()
        }
        (policyLifetime, policyDefaultLifetime) = (policy.lifetime, policy.defaultLifetime)
        staleWhileRevalidate = staleWhileRevalidate ?? policy.staleWhileRevalidate
        staleIfError = staleIfError ?? policy.staleIfError
    }
}
